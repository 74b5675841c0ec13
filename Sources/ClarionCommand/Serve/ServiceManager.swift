import Glibc
import Logging
import Posix

/// The service manager that has started the program, such as systemd for a unit of `Type=notify`. It is told how the program
/// is by datagrams to the socket that `NOTIFY_SOCKET` names (sd_notify(3)).
struct ServiceManager {
    /// The socket's path; if it begins with `@`, its abstract name (unix(7)).
    private let socket: String

    /// For how long a manager that does not read its socket may hold up the hub.
    private static let sendTimeout = timeval(tv_sec: 2, tv_usec: 0)

    /// Nil if nobody asks to be told.
    init?() {
        // `unsafe`: the text that getenv(3) lends is copied at once.
        guard let value = unsafe getenv("NOTIFY_SOCKET") else { return nil }
        socket = unsafe String(cString: value)
        guard !socket.isEmpty else { return nil }
    }

    /// Sends lines such as `READY=1`. A manager that cannot be told is a warning: the hub serves without it, too.
    func tell(_ lines: String..., logger: Logger) {
        guard let reason = failure(sending: Array(lines.joined(separator: "\n").utf8)) else { return }
        logger.warning("\(lines[0]) cannot be told to NOTIFY_SOCKET \(socket): \(reason)")
    }

    /// - Returns: why it could not be sent; nil if it was.
    private func failure(sending message: [UInt8]) -> String? {
        var name = Array(socket.utf8)
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard name.first == 0 || name.first == UInt8(ascii: "/"),
            name.count <= MemoryLayout.size(ofValue: address.sun_path)
        else { return "It is neither a path nor an abstract name." }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        // An abstract name ends where the address does: not a byte too many.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)

        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return Self.reason }
        defer { close(descriptor) }
        var sendTimeout = Self.sendTimeout
        // `unsafe`: the option's value, and the address, are read while the calls last.
        _ = unsafe setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_SNDTIMEO,
            &sendTimeout,
            socklen_t(MemoryLayout<timeval>.size)
        )
        let sent = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
        return sent == message.count ? nil : Self.reason
    }

    private static var reason: String { SystemError.reason(errno) }
}
