import Testing

@testable import ClusterLog

@Suite struct LinkLifeTests {
    private var life = LinkLife()

    /// Which steps come of looks that all find the same.
    private mutating func look(_ count: Int, isConnected: Bool = true, isHeard: Bool = false) -> [LinkLife.Step] {
        var steps: [LinkLife.Step] = []
        for _ in 0..<count { steps.append(life.look(isConnected: isConnected, isHeard: isHeard)) }
        return steps
    }

    @Test mutating func `it asks every second, and goes on as long as it is answered`() {
        for _ in 0..<50 {
            let steps = look(LinkLife.interval - 1) + look(1, isHeard: true)
            #expect(steps.count { $0 == .ask } == 1 && !steps.contains(.giveUp))
        }
    }

    @Test mutating func `what answers no more is given up, once`() {
        _ = look(1, isHeard: true)
        let steps = look(10 * LinkLife.silence)
        #expect(steps.firstIndex(of: .giveUp) == LinkLife.silence - 1)
        #expect(steps.count { $0 == .giveUp } == 1 && steps.last == .wait)
    }

    @Test mutating func `what never answered may not be allowed to`() {
        let steps = look(10 * LinkLife.silence)
        #expect(!steps.contains(.giveUp))
    }

    @Test mutating func `libnats has a while to connect again, and the new connection to answer`() {
        _ = look(1, isHeard: true)
        for _ in 0..<5 {
            let gone = look(LinkLife.absence - 1, isConnected: false)
            let back = look(LinkLife.silence - 1)
            #expect(!(gone + back).contains(.giveUp))
        }
        let steps = look(LinkLife.absence, isConnected: false)
        #expect(steps.last == .giveUp)
    }

    @Test mutating func `what was refused something is left after a while, connected again`() {
        _ = life.look(isConnected: true, isHeard: true, isRefused: true)
        var steps: [LinkLife.Step] = []
        for _ in 1..<LinkLife.refusal { steps += look(1, isHeard: true) }
        #expect(!steps.contains(.giveUp))
        #expect(look(1, isConnected: false) == [.wait])
        #expect(look(1, isHeard: true) == [.giveUp])
        #expect(look(10, isHeard: true).allSatisfy { $0 == .wait })
    }
}
