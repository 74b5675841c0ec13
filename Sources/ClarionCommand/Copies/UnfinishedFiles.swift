import Glibc

/// Files in the making, which are removed when a signal ends the program: they may hold secrets.
///
/// In a handler of the system's own, because nothing else runs while a command waits for a disk. It allocates nothing
/// and takes no lock (signal-safety(7)).
enum UnfinishedFiles {
    private static let capacity = 4

    /// Their names, as C texts, the rest nil. They are never freed: the handler may come at any time.
    ///
    /// `unsafe`: written once before the handler is installed, and then only read.
    private nonisolated(unsafe) static let names = {
        let names = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: capacity)
        unsafe names.initialize(repeating: nil, count: capacity)
        return unsafe names
    }()

    /// From now on removes those files upon SIGINT, SIGTERM or SIGHUP, which then end the program as they would have.
    /// To be called once.
    static func removeUponSignal(_ paths: [String]) {
        precondition(paths.count <= capacity)
        for (place, path) in paths.enumerated() { unsafe names[place] = strdup(path) }
        for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) {
            _ = signal(number) { number in
                // Of whom it has interrupted.
                let error = errno
                defer { errno = error }
                for place in 0..<UnfinishedFiles.capacity {
                    if let name = unsafe UnfinishedFiles.names[place] { _ = unsafe unlink(name) }
                }
                // The first process of a container outlives what it does not handle (pid_namespaces(7)).
                if getpid() == 1 { _exit(128 + number) }
                // It comes again when this returns.
                _ = signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// Whoever has started the program may have it live on, as nohup(1) does.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        // `unsafe`: a handler that is no function but a number, compared as one.
        let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        let ignoring = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
        return handler == ignoring
    }
}
