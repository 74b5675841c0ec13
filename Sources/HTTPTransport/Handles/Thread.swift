import CCurl

/// A POSIX thread that runs one closure and ends.
package enum Thread {
    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts a detached thread with all signals blocked, so that SIGTERM and the like are taken by a thread that
    /// handles them, and a write to a closed connection is an error here and not SIGPIPE.
    ///
    /// - Parameter name: at most 15 bytes, shown by `ps -T`.
    package static func start(name: String, _ run: @escaping @Sendable () -> Void) {
        // Retained here once, released once: by the thread as it takes the value, or below if there is no thread.
        let body = unsafe Unmanaged.passRetained(Body(name: name, run: run))
        let error = unsafe clarion_start_thread(threadMain, body.toOpaque())
        guard error == 0 else {
            unsafe body.release()
            // Once in the life of a hub, at start-up, and of a client, with its first request: neither can do its work without.
            fatalError("cannot create the thread '\(name)': error \(error)")
        }
    }

    private nonisolated static let threadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        pointer in
        guard let pointer = unsafe pointer else { return nil }
        let body = unsafe Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue()
        unsafe clarion_name_thread(body.name)
        body.run()
        return nil
    }
}
