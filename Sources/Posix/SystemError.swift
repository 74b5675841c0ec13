#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A system call that failed.
package struct SystemError: Error, CustomStringConvertible {
    /// Such as `open`.
    package let call: String

    /// What `errno` was.
    package let number: Int32

    package init(_ call: String, _ number: Int32) {
        (self.call, self.number) = (call, number)
    }

    /// The call that has just failed.
    package init(_ call: String) {
        self.init(call, errno)
    }

    /// As strerror(3) has it, such as `Too many open files`.
    package var reason: String { Self.reason(number) }

    /// Such as `open failed: Too many open files`.
    package var description: String { "\(call) failed: \(reason)" }

    /// What strerror(3) says of a number.
    package static func reason(_ number: Int32) -> String {
        // `unsafe`: the text is copied before another call could change it.
        unsafe String(cString: strerror(number))
    }
}
