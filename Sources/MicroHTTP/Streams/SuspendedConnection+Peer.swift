import CMicroHTTPD
import Glibc

extension SuspendedConnection {
    /// What the kernel knows of the client. Before ``resume()`` only: the socket's number may be another's afterwards.
    var peer: ConnectionPeer { ConnectionPeer(of: socket) }

    /// Sends `100 Continue`, which says nothing but that the server is still there. Nothing else is being written to the
    /// socket while the connection is suspended. Returns false if the client is gone.
    func sendInterim() -> Bool {
        let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        // `unsafe`: the bytes are lent to the call only.
        return unsafe interim.withUnsafeBytes { unsafe send(socket, $0.baseAddress, $0.count, flags) } >= 0
            || errno == EAGAIN
    }
}
