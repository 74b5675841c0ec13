import CMicroHTTPD
import Glibc

/// A client that waits for the answer to a request, as its socket shows it. To be asked only while it is known to wait, as
/// ``PendingAnswer/isAbandoned(_:)`` does: the socket's number may be another's afterwards.
struct WaitingClient: Sendable {
    let socket: Int32
    /// Whether it takes interim responses: it speaks HTTP/1.1.
    let takesInterim: Bool

    /// What the kernel knows of it.
    var peer: ConnectionPeer { ConnectionPeer(of: socket) }

    /// Sends `100 Continue`, which says nothing but that the server is still there. Nothing else is being written to the
    /// socket while a request waits. Returns false if the client is gone.
    func sendInterim() -> Bool {
        let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        // `unsafe`: the bytes are lent to the call only.
        return unsafe interim.withUnsafeBytes { unsafe send(socket, $0.baseAddress, $0.count, flags) } >= 0
            || errno == EAGAIN
    }
}
