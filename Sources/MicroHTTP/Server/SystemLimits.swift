import Glibc

/// What the machine gives this process.
public enum SystemLimits {
    /// Processors that are online, at least one.
    public static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Raises the soft limit of open files to the hard one (setrlimit(2)) and returns it: every stream is a descriptor.
    public static func raiseOpenFiles() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // An unlimited number would overflow what libmicrohttpd counts with.
        return Int(min(limit.rlim_cur, 1_000_000))
    }
}
