@testable import MicroHTTP
import Testing

@Suite struct ConnectionRulesTests {
    private let rules = ConnectionRules()

    private func isOver(
        _ stage: Connection.Stage,
        age: Int,
        received: Int = 0,
        isFresh: Bool = false,
        peer: ConnectionPeer.State = .open,
        begun: Int? = nil,
        unchanged: Bool = false,
        isCrowded: Bool = false,
        isDraining: Bool = false
    ) -> Bool {
        rules.isOver(
            ConnectionStanding(stage: stage, since: 1_000_000, received: received, isFresh: isFresh, consumed: 0),
            ConnectionPeer(state: peer, received: 1),
            begun: begun.map { 1_000_000 + $0 },
            unchangedSinceLastLook: unchanged,
            ConnectionRules.Situation(now: 1_000_000 + age, isCrowded: isCrowded, isDraining: isDraining)
        )
    }

    @Test func `a head has ten seconds, whether its first line has come or not`() {
        #expect(!isOver(.head, age: 9_900))
        #expect(isOver(.head, age: 10_100))
        #expect(!isOver(.idle, age: 9_900, isFresh: true))
        #expect(isOver(.idle, age: 10_100, isFresh: true))
        // Of a later request something has come, but no line: its time counts from then.
        #expect(!isOver(.idle, age: 30_000, begun: 20_500))
        #expect(isOver(.idle, age: 30_600, begun: 20_500))
    }

    @Test func `a kept connection waits for libmicrohttpd's timeout, unless there is no room`() {
        #expect(!isOver(.idle, age: 70_000))
        #expect(!isOver(.idle, age: 4_900, isCrowded: true))
        #expect(isOver(.idle, age: 5_100, isCrowded: true))
        #expect(isOver(.head, age: 2_100, isCrowded: true))
    }

    @Test func `a body has twenty seconds and one for each 500 bytes that came`() {
        #expect(!isOver(.body, age: 19_900))
        #expect(isOver(.body, age: 20_100))
        #expect(!isOver(.body, age: 39_000, received: 10_000))
        #expect(isOver(.body, age: 40_100, received: 10_000))
    }

    @Test(arguments: [Connection.Stage.idle, .head, .body]) func `a peer that is gone is noticed at the second look`(
        stage: Connection.Stage
    ) {
        for peer in [ConnectionPeer.State.halfClosed, .gone] {
            #expect(!isOver(stage, age: 100, peer: peer))
            #expect(isOver(stage, age: 100, peer: peer, unchanged: true))
        }
        #expect(!isOver(stage, age: 100, unchanged: true))
    }

    @Test func `an answer is waited for, also by a client that has closed its half`() {
        #expect(!isOver(.answer, age: 1_000_000, peer: .halfClosed, unchanged: true, isCrowded: true, isDraining: true))
    }

    @Test func `a server that stops waits for no request that is not complete`() {
        #expect(!isOver(.body, age: 100, isDraining: true))
        #expect(isOver(.body, age: 100, unchanged: true, isDraining: true))
    }
}
