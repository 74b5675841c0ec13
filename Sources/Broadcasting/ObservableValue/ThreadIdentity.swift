#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A thread that runs, told apart from others that do.
struct ThreadIdentity: Equatable, Sendable {
    let number: UInt

    /// The calling thread.
    static var current: ThreadIdentity {
        #if canImport(Darwin)
            ThreadIdentity(number: UInt(bitPattern: unsafe pthread_self()))
        #else
            ThreadIdentity(number: UInt(pthread_self()))
        #endif
    }
}
