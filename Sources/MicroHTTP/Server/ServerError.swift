import Posix

/// Why a server could not start.
public struct ServerError: Error, Sendable, CustomStringConvertible {
    /// Stable: `address-in-use`, `address-unavailable`, `address-invalid`, `listen-failed`, `epoll-failed`,
    /// `thread-failed`, `start-failed`, `too-few-descriptors`, `certificate-invalid`, `tls-unsupported`.
    public let code: String

    /// One line for a person.
    public let description: String

    init(code: String, description: String) {
        self.code = code
        self.description = description
    }

    /// What a server's threads need and cannot have.
    init(_ error: SystemError) {
        let code = error.call == "pthread_create" ? "thread-failed" : "epoll-failed"
        self.init(code: code, description: error.description)
    }
}
