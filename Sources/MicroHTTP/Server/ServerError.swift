import Posix

/// Why a server could not start.
public struct ServerError: Error, Sendable, CustomStringConvertible {
    /// Stable: `address-in-use`, `address-unavailable`, `address-invalid`, `listen-failed`, `epoll-failed`,
    /// `thread-failed`, `start-failed`, `too-few-descriptors`, `certificate-invalid`, `tls-unsupported`.
    public let code: String

    /// One line for a person.
    public let description: String

    /// Whether it is so only until a later time: the machine's clock may just not be set yet.
    package let passesWithTime: Bool

    init(code: String, description: String, passesWithTime: Bool = false) {
        self.code = code
        self.description = description
        self.passesWithTime = passesWithTime
    }

    /// What a server's threads need and cannot have.
    init(_ error: SystemError) {
        let code = error.call == "pthread_create" ? "thread-failed" : "epoll-failed"
        self.init(code: code, description: error.description)
    }
}
