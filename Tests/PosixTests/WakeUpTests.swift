import Synchronization
import Testing

@testable import Posix

@Suite struct WakeUpTests {
    @Test func `a wait ends when it is woken, also before it begins, and once`() throws {
        let poll = try EventPoll()
        for _ in 0..<1_000 { poll.wakeUp.wake() }
        #expect(poll.wait(milliseconds: 60_000) { _, _ in Issue.record("no descriptor is watched") })
        #expect(!poll.wait(milliseconds: 0) { _, _ in })
    }

    /// Eight threads each add to what is there and then wake; the waiter takes what there is and then waits. Were one
    /// wake-up lost, the last of a run would lie there until the time is up.
    @Test func `no wake-up of many threads is lost`() throws {
        let poll = try EventPoll()
        let (threads, each) = (8, 2_000)
        let waiting = Atomic(0)
        let senders = try (0..<threads).map { _ in
            try Thread(name: "sender") {
                for _ in 0..<each {
                    waiting.add(1, ordering: .acquiringAndReleasing)
                    poll.wakeUp.wake()
                }
            }
        }
        var taken = 0
        while taken < threads * each {
            taken += waiting.exchange(0, ordering: .acquiringAndReleasing)
            guard taken < threads * each else { break }
            let isWoken = poll.wait(milliseconds: 10_000) { _, _ in }
            #expect(isWoken, "\(taken) were taken, and then nobody woke")
            if !isWoken { break }
        }
        for sender in senders { sender.join() }
        #expect(taken == threads * each)
    }

    @Test func `a wake-up may outlive what waits`() throws {
        var poll: EventPoll? = try EventPoll()
        let wakeUp = try #require(poll?.wakeUp)
        poll = nil
        wakeUp.wake()
        #expect(poll == nil)
    }
}
