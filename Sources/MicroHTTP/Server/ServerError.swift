import Glibc

/// Why a server could not start.
public struct ServerError: Error, Sendable, CustomStringConvertible {
    /// Stable: `address-in-use`, `address-unavailable`, `address-invalid`, `listen-failed`, `epoll-failed`,
    /// `thread-failed`, `start-failed`.
    public let code: String

    /// One line for a person.
    public let description: String

    init(code: String, description: String) {
        self.code = code
        self.description = description
    }

    /// A failed system call, with the reason that `errno` gives.
    init(code: String, systemCall: StaticString, errno number: Int32 = Glibc.errno) {
        self.code = code
        description = unsafe "\(systemCall) failed: \(String(cString: strerror(number)))"
    }
}
