import Testing

@testable import Webhooks

@Suite("Lane")
struct LaneTests {
    @Test("an endpoint that fails every time is braked; one success, or a new registration, takes the brake off")
    func brake() {
        var lane = Lane(id: "e")
        for _ in 0..<15 { lane.noteEnding(hasFailed: true, areOthersAnswered: false, spread: 0) }
        #expect(lane.brake == nil)
        lane.noteEnding(hasFailed: true, areOthersAnswered: false, spread: 0)
        var begun = 0
        for now in Int64(1_000)..<2_000 {
            while lane.brake?.take(at: now) == nil, begun < 2_000 { begun += 1 }
        }
        #expect((98...112).contains(begun))
        for (failures, perSecond) in [(32, 50), (100_000, 40)] {
            while lane.failures < failures { lane.noteEnding(hasFailed: true, areOthersAnswered: false, spread: 0) }
            begun = 0
            for now in Int64(2_000)..<12_000 where lane.brake?.take(at: now + Int64(failures) * 1000) == nil {
                begun += 1
            }
            #expect((perSecond * 10 - 1...perSecond * 10 + 5).contains(begun))
        }
        lane.noteEnding(hasFailed: false, areOthersAnswered: false, spread: 0)
        #expect(lane.brake == nil && lane.failures == 0)
        for _ in 0..<100 { lane.noteEnding(hasFailed: true, areOthersAnswered: false, spread: 0) }
        #expect(lane.brake != nil)
        lane.forgive()
        #expect(lane.brake == nil && lane.failures == 0)
    }

    @Test("while others are answered, one that fails is tried once a second; sooner so if it has never worked")
    func brakeBesideOthers() {
        var lane = Lane(id: "e")
        for isFirst in [true, false] {
            for _ in 1..<(isFirst ? 4 : 16) { lane.noteEnding(hasFailed: true, areOthersAnswered: true, spread: 0) }
            #expect(lane.brake == nil)
            lane.noteEnding(hasFailed: true, areOthersAnswered: true, spread: 0)
            var begun = 0
            for now in Int64(1_000)..<11_000 where lane.brake?.take(at: now) == nil { begun += 1 }
            #expect((10...11).contains(begun))
            lane.noteEnding(hasFailed: false, areOthersAnswered: true, spread: 0)
            #expect(lane.brake == nil)
        }
        // A new registration may be of another service, which has yet to work.
        lane.forgive()
        for _ in 0..<4 { lane.noteEnding(hasFailed: true, areOthersAnswered: true, spread: 0) }
        #expect(lane.brake != nil)
    }

    @Test("endpoints that began to fail together do not go on being tried together")
    func brakeSpread() {
        let moments = [-1.0, 0, 1].map { spread in
            var lane = Lane(id: "e")
            for _ in 0..<16 { lane.noteEnding(hasFailed: true, areOthersAnswered: false, spread: spread) }
            #expect(lane.brake?.take(at: 1_000) == nil)
            return (Int64(1_000)..<3_000).filter { lane.brake?.take(at: $0) == nil }.last ?? 0
        }
        #expect(Set(moments).count == 3)
    }
}
