import Testing

@testable import Webhooks

@Suite("Brake")
struct BrakeTests {
    @Test("an endpoint that fails every time is braked; one success, or a new registration, takes the brake off")
    func failing() {
        var brake = Brake()
        for _ in 0..<15 { brake.note(hasFailed: true, areOthersAnswered: false, jitter: 0) }
        #expect(!brake.isOn)
        brake.note(hasFailed: true, areOthersAnswered: false, jitter: 0)
        var begun = 0
        for now in Int64(1_000)..<2_000 {
            while brake.take(at: now) == nil, begun < 2_000 { begun += 1 }
        }
        #expect((98...112).contains(begun))
        for (failures, perSecond) in [(32, 50), (100_000, 40)] {
            while brake.failures < failures { brake.note(hasFailed: true, areOthersAnswered: false, jitter: 0) }
            begun = 0
            for now in Int64(2_000)..<12_000 where brake.take(at: now + Int64(failures) * 1000) == nil {
                begun += 1
            }
            #expect((perSecond * 10 - 1...perSecond * 10 + 5).contains(begun))
        }
        brake.note(hasFailed: false, areOthersAnswered: false, jitter: 0)
        #expect(!brake.isOn && brake.failures == 0)
        for _ in 0..<100 { brake.note(hasFailed: true, areOthersAnswered: false, jitter: 0) }
        #expect(brake.isOn)
        brake = Brake()
        #expect(!brake.isOn && brake.failures == 0)
    }

    @Test("while others are answered, one that fails is tried once a second; sooner so if it has never worked")
    func besideOthers() {
        var brake = Brake()
        for isFirst in [true, false] {
            for _ in 1..<(isFirst ? 4 : 16) { brake.note(hasFailed: true, areOthersAnswered: true, jitter: 0) }
            #expect(!brake.isOn)
            brake.note(hasFailed: true, areOthersAnswered: true, jitter: 0)
            var begun = 0
            for now in Int64(1_000)..<11_000 where brake.take(at: now) == nil { begun += 1 }
            #expect((10...11).contains(begun))
            brake.note(hasFailed: false, areOthersAnswered: true, jitter: 0)
            #expect(!brake.isOn)
        }
        // A new registration may be of another service, which has yet to work.
        brake = Brake()
        for _ in 0..<4 { brake.note(hasFailed: true, areOthersAnswered: true, jitter: 0) }
        #expect(brake.isOn)
    }

    @Test("endpoints that began to fail together do not go on being tried together")
    func jitter() {
        let moments = [-1.0, 0, 1].map { jitter in
            var brake = Brake()
            for _ in 0..<16 { brake.note(hasFailed: true, areOthersAnswered: false, jitter: jitter) }
            #expect(brake.take(at: 1_000) == nil)
            return (Int64(1_000)..<3_000).filter { brake.take(at: $0) == nil }.last ?? 0
        }
        #expect(Set(moments).count == 3)
    }
}
