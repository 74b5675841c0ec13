import CMicroHTTPD
import Glibc

/// A thread of its own for work that never ends before the program does and must not take a place in the
/// concurrency pool.
@safe
final class WorkerThread: Sendable {
    private let identifier: pthread_t

    /// Starts a thread; its name shows in `top -H`.
    init(name: String, _ body: @escaping @Sendable () -> Void) throws(ServerError) {
        let context = unsafe Unmanaged.passRetained(Body(name: name, run: body))
        var identifier = pthread_t()
        let failure = unsafe pthread_create(
            &identifier,
            nil,
            { context in
                // Balances passRetained: the thread owns the body.
                guard let context = unsafe context else { return nil }
                let body = unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
                unsafe clarion_name_thread(body.name)
                body.run()
                return nil
            },
            context.toOpaque()
        )
        guard failure == 0 else {
            unsafe context.release()
            throw ServerError(code: "thread-failed", systemCall: "pthread_create", errno: failure)
        }
        self.identifier = identifier
    }

    /// Waits for the thread to return.
    func join() {
        pthread_join(identifier, nil)
    }

    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }
}

/// The monotonic clock in nanoseconds, for how long something took.
enum MonotonicNanoseconds {
    static var now: Int64 {
        var time = timespec()
        // `unsafe`: clock_gettime(2) fills the structure that it is lent; this clock is always there.
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// The monotonic clock in milliseconds, some four of them coarse: all that keeping alive needs, for the price of a
/// vDSO call (clock_gettime(2), `CLOCK_MONOTONIC_COARSE`).
enum MonotonicMilliseconds {
    static var now: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}
