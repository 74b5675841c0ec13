import CPosix
import Synchronization

/// A thread of the system's own, for work that waits in the kernel and must not take a place in the concurrency pool.
///
/// Signals are blocked on it, but for those of its own faults: SIGTERM and the like are taken by a thread that handles
/// them, and a write to a closed connection is an error here and not SIGPIPE.
///
/// ```swift
/// let thread = try Thread(name: "writer") { write() }
/// thread.join()
/// ```
///
/// `@unchecked Sendable`: the thread's number does not change. It is a pointer on some systems.
@safe
package final class Thread: @unchecked Sendable {
    private let thread: clarion_thread
    private let isJoined = Atomic(false)

    /// Starts a thread, which ends when the closure returns.
    ///
    /// - Parameters:
    ///   - name: what `top -H` and `ps -T` show of it, at most 15 bytes.
    ///   - niceness: from 0, which is what others have, to 19, which comes after all others where processors are few. Of
    ///     no effect where a thread has none of its own.
    /// - Throws: if there is no memory, or may be no more threads.
    package init(name: String, niceness: Int32 = 0, _ run: @escaping @Sendable () -> Void) throws(SystemError) {
        // Retained here once, released once: by the thread as it takes the value, or below if there is no thread.
        let body = unsafe Unmanaged.passRetained(Body(name: name, niceness: niceness, run: run))
        var thread = clarion_thread()
        let error = unsafe clarion_thread_start(&thread, Self.main, body.toOpaque())
        guard error == 0 else {
            unsafe body.release()
            throw SystemError("pthread_create", error)
        }
        self.thread = thread
    }

    deinit {
        if !isJoined.load(ordering: .relaxed) { clarion_thread_detach(thread) }
    }

    /// Starts a thread that nobody waits for, and that the program cannot do its work without: it ends if there is none.
    package static func start(name: String, niceness: Int32 = 0, _ run: @escaping @Sendable () -> Void) {
        do throws(SystemError) {
            _ = try Thread(name: name, niceness: niceness, run)
        } catch {
            fatalError("There is no thread '\(name)': \(error)")
        }
    }

    /// Does what waits in the kernel on a thread of its own.
    /// - Returns: what came of it.
    package static func run<Value: Sendable>(name: String, _ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            start(name: name) { continuation.resume(returning: work()) }
        }
    }

    /// Waits until the thread has ended. May be called once.
    package func join() {
        guard !isJoined.exchange(true, ordering: .relaxed) else { return }
        clarion_thread_join(thread)
    }

    private final class Body: Sendable {
        let name: String
        let niceness: Int32
        let run: @Sendable () -> Void

        init(name: String, niceness: Int32, run: @escaping @Sendable () -> Void) {
            (self.name, self.niceness, self.run) = (name, niceness, run)
        }
    }

    private nonisolated static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        guard let body = unsafe $0 else { return nil }
        let taken = unsafe Unmanaged<Body>.fromOpaque(body).takeRetainedValue()
        unsafe clarion_thread_describe(taken.name, taken.niceness)
        taken.run()
        return nil
    }
}
