import Posix
import Testing

@testable import MicroHTTP

@Suite struct ConnectionEvictionTests {
    private typealias Stage = Connection.Stage

    /// The sockets of those that are ended of connections of so many customers, each with a stage, how long it has been in it, and
    /// what came of a body. Sockets are counted from 0.
    private func victims(waiting: Int = 100, _ customers: [(stage: Stage, age: Int, received: Int)]...) -> [Int32] {
        var candidates: [ConnectionEviction.Candidate] = []
        for (customer, connections) in customers.enumerated() {
            for (stage, age, received) in connections {
                candidates.append(
                    ConnectionEviction.Candidate(
                        socket: Int32(candidates.count),
                        customer: IPAddress("192.0.2.\(customer)"),
                        standing: ConnectionStanding(
                            stage: stage,
                            since: 1_000_000 - age,
                            received: received,
                            isFresh: false,
                            consumed: 0
                        )
                    )
                )
            }
        }
        return ConnectionEviction().victims(among: candidates, waiting: waiting, now: 1_000_000)
    }

    @Test func `only the customer with most unfinished requests loses connections`() {
        let one = [(Stage.idle, 60_000, 0), (.head, 9_000, 0)]
        let crowd = [(Stage.head, 700, 0), (.idle, 800, 0), (.idle, 900, 0)]
        let busy = [(Stage)](repeating: .answer, count: 9).map { ($0, 60_000, 0) }
        #expect(victims(one, crowd, busy) == [4, 3, 2])
        #expect(victims(one, busy) == [0, 1])
    }

    @Test func `who has a single connection keeps it`() {
        #expect(victims([(.idle, 60_000, 0)], [(.head, 60_000, 0)], [(.body, 60_000, 0)]).isEmpty)
        #expect(victims().isEmpty)
    }

    @Test func `no more are ended than wait, those first that have rested longest`() {
        let crowd = [(Stage.body, 5_000, 0), (.head, 3_000, 0), (.idle, 600, 0), (.idle, 2_000, 0)]
        #expect(victims(waiting: 1, crowd) == [3])
        #expect(victims(waiting: 3, crowd) == [3, 2, 1])
        #expect(victims(crowd) == [3, 2, 1, 0])
    }

    @Test func `what is on its way is waited for`() {
        #expect(victims([(.idle, 490, 0), (.head, 490, 0), (.body, 990, 0), (.body, 9_900, 150_000)]).isEmpty)
        let late = [(Stage.idle, 500, 0), (.head, 500, 0), (.body, 1_000, 0), (.body, 9_900, 140_000)]
        #expect(victims(late) == [0, 1, 3, 2])
    }
}
