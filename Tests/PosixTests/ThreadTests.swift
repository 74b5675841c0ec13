import Glibc
import Synchronization
import Testing

@testable import Posix

@Suite struct ThreadTests {
    @Test func `a join waits until the thread has ended`() throws {
        let isDone = Atomic(false)
        let thread = try Thread(name: "joined") {
            var end = timespec(tv_sec: 0, tv_nsec: 20_000_000)
            unsafe nanosleep(&end, nil)
            isDone.store(true, ordering: .releasing)
        }
        thread.join()
        let wasDone = isDone.load(ordering: .acquiring)
        #expect(wasDone)
        thread.join()
    }

    @Test func `what a thread has is freed when it ends`() throws {
        final class Held: Sendable {}
        weak var remembered: Held?
        func start() throws -> Thread {
            let held = Held()
            remembered = held
            return try Thread(name: "holding") { withExtendedLifetime(held) {} }
        }
        try start().join()
        #expect(remembered == nil)
    }

    /// The system keeps what a thread leaves until somebody joins or detaches it: 10,000 stacks would be 80 GB.
    @Test func `threads that nobody joins leave nothing behind`() throws {
        let before = try mappedPages()
        let ended = Atomic(0)
        for round in 1...10_000 {
            _ = try Thread(name: "forgotten") { ended.add(1, ordering: .relaxed) }
            while ended.load(ordering: .relaxed) < round { sched_yield() }
        }
        #expect(try mappedPages() - before < 500_000)
    }

    @Test func `a thread has its name and its priority, and others keep theirs`() throws {
        let found = Mutex<(name: String, niceness: Int32)>(("", -1))
        let thread = try Thread(name: "a name that is too long", niceness: 7) {
            let name = (try? text(of: "/proc/thread-self/comm")) ?? ""
            found.withLock { $0 = (name, getpriority(Int32(PRIO_PROCESS.rawValue), 0)) }
        }
        thread.join()
        #expect(found.withLock { $0.name } == "a name that is \n")
        #expect(found.withLock { $0.niceness } == 7)
        #expect(getpriority(Int32(PRIO_PROCESS.rawValue), 0) == 0)
    }

    /// Those of its own faults come through, so that a crash still has its backtrace.
    @Test func `signals that others may send are blocked, and the starter's stay as they were`() throws {
        let blocked = Mutex<Set<Int32>>([])
        var (own, previous) = (sigset_t(), sigset_t())
        unsafe sigaddset(&own, SIGUSR1)
        unsafe pthread_sigmask(SIG_SETMASK, &own, &previous)
        defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
        let thread = try Thread(name: "signals") { blocked.withLock { $0 = Self.blockedSignals() } }
        thread.join()
        let set = blocked.withLock { $0 }
        #expect(set.isSuperset(of: [SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGALRM, SIGCHLD, SIGUSR1]))
        #expect(set.isDisjoint(with: [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]))
        #expect(Self.blockedSignals() == [SIGUSR1])
    }

    private static func blockedSignals() -> Set<Int32> {
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
        return Set((1..<32).filter { unsafe sigismember(&mask, $0) == 1 })
    }

    /// The first number of /proc/self/statm (proc(5)). A sanitizer maps terabytes from the start.
    private func mappedPages() throws -> Int {
        try #require(Int(try text(of: "/proc/self/statm").prefix { $0 != " " }))
    }
}

/// The bytes of a file of /proc.
func text(of path: String) throws -> String {
    let file = unsafe open(path, O_RDONLY)
    try #require(file >= 0)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
}
