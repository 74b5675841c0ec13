#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where paths lead.
package enum RealPath {
    /// The file at the end of symbolic links.
    package static func of(_ path: String) throws(SystemError) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw SystemError("realpath") }
        // realpath(3) allocates the text for its caller.
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
