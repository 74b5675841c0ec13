import Testing

@testable import Webhooks

@Suite("Lane")
struct LaneTests {
    @Test("an endpoint that fails every time is braked; one success, or a new registration, takes the brake off")
    func brake() {
        var lane = Lane(id: "e")
        for _ in 0..<63 { lane.noteEnding(hasFailed: true) }
        #expect(lane.brake == nil)
        lane.noteEnding(hasFailed: true)
        var begun = 0
        for now in Int64(1_000)..<2_000 {
            while lane.brake?.take(at: now) == nil, begun < 2_000 { begun += 1 }
        }
        #expect((490...520).contains(begun))
        lane.noteEnding(hasFailed: false)
        #expect(lane.brake == nil && lane.failures == 0)
        for _ in 0..<100 { lane.noteEnding(hasFailed: true) }
        #expect(lane.brake != nil)
        lane.forgive()
        #expect(lane.brake == nil && lane.failures == 0)
    }
}
