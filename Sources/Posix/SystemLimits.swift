import CPosix

/// What the machine gives this process.
public enum SystemLimits {
    /// Processors that are online, at least one.
    public static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// How many descriptors the process may have (getrlimit(2), `RLIMIT_NOFILE`); nil if the system does not say.
    package static var openFiles: UInt64? {
        var limit = rlimit()
        // `unsafe`: the structure that is lent is filled.
        return unsafe clarion_descriptor_limit(&limit) == 0 ? UInt64(limit.rlim_cur) : nil
    }

    /// Raises the soft limit of descriptors to the hard one (setrlimit(2)) and returns it: every stream is one.
    package static func raiseOpenFiles() -> Int {
        var limit = rlimit()
        guard unsafe clarion_descriptor_limit(&limit) == 0 else { return 1024 }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe clarion_set_descriptor_limit(&limit)
        // An unlimited number would overflow what libmicrohttpd counts with.
        return Int(min(limit.rlim_cur, 1_000_000))
    }

    #if os(Linux)
        /// So few descriptors are left that a lookup of a name, which takes several, may have failed for it.
        private static let few: UInt64 = 16

        /// Whether nearly all descriptors are in use: the lowest that is free tells (fcntl(2), F_DUPFD).
        package static var areFilesShort: Bool {
            guard let openFiles else { return false }
            let lowest = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard lowest >= 0 else { return true }
            close(lowest)
            return openFiles < UInt64(lowest) + few
        }
    #endif
}
