import EventLog
import Synchronization
import Testing

@testable import ClusterLog

@Suite struct StreamClockTests {
    /// How long some moment ago is, as the tests have it.
    private final class Passing: Sendable {
        let milliseconds = Atomic<Int64>(5_000)

        func pass(_ time: Int64) { milliseconds.add(time, ordering: .relaxed) }
    }

    private let passing = Passing()

    private func clock() -> StreamClock {
        StreamClock { [passing] in .milliseconds(passing.milliseconds.load(ordering: .relaxed)) }
    }

    @Test func `it goes on from what the servers said, whatever the machine's clock says`() {
        let clock = clock()
        clock.set { Timestamp(milliseconds: 1_000_000) }
        #expect(clock.now == Timestamp(milliseconds: 1_000_000))
        passing.pass(250)
        #expect(clock.now == Timestamp(milliseconds: 1_000_250))
    }

    @Test func `it is never behind the servers', however long the answer took`() {
        let clock = clock()
        clock.set {
            passing.pass(10)
            defer { passing.pass(90) }
            return Timestamp(milliseconds: 1_000_010)
        }
        #expect(clock.now == Timestamp(milliseconds: 1_000_110))
    }

    @Test func `what fails leaves it as it was`() {
        let clock = clock()
        clock.set { Timestamp(milliseconds: 1_000_000) }
        #expect(throws: NATSError.self) { try clock.set { throw NATSError("no answer") } }
        #expect(clock.now == Timestamp(milliseconds: 1_000_000))
    }
}
