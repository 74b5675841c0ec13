import Glibc
import Synchronization
import Testing

@testable import Posix

@Suite struct EventPollTests {
    /// Two ends of a connection, closed with the value.
    private struct Pair: ~Copyable {
        let near: Int32
        let far: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
            try #require(unsafe socketpair(AF_UNIX, type, 0, &ends) == 0)
            (near, far) = (ends[0], ends[1])
        }

        deinit {
            close(near)
            close(far)
        }

        func say() { unsafe #expect(write(far, "x", 1) == 1) }
    }

    private func ready(_ poll: EventPoll, milliseconds: Int32 = 0) -> [UInt64: Readiness] {
        var found: [UInt64: Readiness] = [:]
        poll.wait(milliseconds: milliseconds) { found[$0] = $1 }
        return found
    }

    @Test func `a descriptor is told of for what it is watched for, by its token, until it is removed`() throws {
        let poll = try EventPoll()
        let pair = try Pair()
        #expect(poll.watch(pair.near, for: .readable, token: 7))
        #expect(ready(poll).isEmpty)
        pair.say()
        #expect(ready(poll) == [7: .readable])
        #expect(ready(poll) == [7: .readable])
        #expect(poll.watch(pair.near, for: [.readable, .writable], token: 8))
        #expect(ready(poll) == [8: [.readable, .writable]])
        poll.remove(pair.near)
        #expect(ready(poll).isEmpty)
        poll.remove(pair.near)
    }

    @Test func `of a change one is told once`() throws {
        let poll = try EventPoll()
        let pair = try Pair()
        #expect(poll.watch(pair.near, for: [.writable, .halfClosed, .changesOnly], token: 0))
        #expect(ready(poll) == [0: .writable])
        #expect(ready(poll).isEmpty)
        #expect(shutdown(pair.far, Int32(SHUT_WR)) == 0)
        #expect(ready(poll)[0]?.contains(.halfClosed) == true)
        #expect(ready(poll).isEmpty)
    }

    @Test func `a peer that is gone is told of, whatever was asked for`() throws {
        let poll = try EventPoll()
        let pair = try Pair()
        #expect(poll.watch(pair.near, for: [], token: 1))
        #expect(ready(poll).isEmpty)
        #expect(shutdown(pair.near, Int32(SHUT_RDWR)) == 0)
        #expect(ready(poll)[1]?.isBroken == true)
    }

    @Test func `what is no descriptor is not watched`() throws {
        let poll = try EventPoll()
        #expect(!poll.watch(-1, for: .readable, token: 1))
        let closed = dup(STDIN_FILENO)
        close(closed)
        #expect(!poll.watch(closed, for: .readable, token: 1))
        poll.remove(closed)
        #expect(ready(poll).isEmpty)
    }

    @Test func `a number that was closed and is another's now can be watched`() throws {
        let poll = try EventPoll()
        let pair = try Pair()
        let other = try Pair()
        #expect(poll.watch(pair.near, for: .readable, token: 1))
        // What `close` and the next `socket` do, at one stroke.
        #expect(dup2(other.near, pair.near) == pair.near)
        #expect(poll.watch(pair.near, for: .readable, token: 2))
        other.say()
        #expect(ready(poll) == [2: .readable])
    }

    /// The kernel forgets what is closed: no event of it, none of the next one with its number, and the others go on.
    @Test func `descriptors that are closed while one waits are forgotten`() throws {
        let poll = try EventPoll()
        let stays = try Pair()
        #expect(poll.watch(stays.near, for: .readable, token: 0))
        let isWaiting = Atomic(false)
        let seen = Mutex<Set<UInt64>>([])
        let waiter = try Thread(name: "waiter") {
            isWaiting.store(true, ordering: .releasing)
            while seen.withLock({ !$0.contains(0) }) {
                poll.wait(milliseconds: 10_000) { token, _ in seen.withLock { _ = $0.insert(token) } }
            }
        }
        while !isWaiting.load(ordering: .acquiring) { sched_yield() }
        for token in UInt64(1)...500 {
            let pair = try Pair()
            #expect(poll.watch(pair.near, for: .readable, token: token))
            if token.isMultiple(of: 2) { poll.remove(pair.near) }
        }
        let next = try Pair()
        next.say()
        stays.say()
        waiter.join()
        #expect(seen.withLock { $0 } == [0])
    }

    @Test func `more than one turn can tell of come with the next`() throws {
        let poll = try EventPoll()
        var ends: [Int32] = []
        let pair = try Pair()
        pair.say()
        for token in UInt64(0)..<300 {
            ends.append(dup(pair.near))
            #expect(poll.watch(ends[Int(token)], for: .readable, token: token))
        }
        defer { for end in ends { close(end) } }
        var seen = Set(ready(poll).keys)
        #expect(seen.count < 300, "One turn tells of them all: there must be more of them")
        // Those that were told of come last in the next.
        for _ in 0..<300 / seen.count { seen.formUnion(ready(poll).keys) }
        #expect(seen.count == 300)
    }

    @Test func `a wait says whether it was the time that ended it`() throws {
        let poll = try EventPoll()
        let began = SystemClock.monotonic.milliseconds
        #expect(!poll.wait(milliseconds: 20) { _, _ in })
        #expect(SystemClock.monotonic.milliseconds - began >= 19)
        poll.wakeUp.wake()
        #expect(poll.wait(milliseconds: 60_000) { _, _ in })
    }

    @Test func `a set that ends gives back its descriptors`() throws {
        let lowest = dup(STDIN_FILENO)
        close(lowest)
        for _ in 0..<100 { _ = try EventPoll() }
        let next = dup(STDIN_FILENO)
        defer { close(next) }
        #expect(next <= lowest + 8)
    }
}
