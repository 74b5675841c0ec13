import CMicroHTTPD
import Glibc

/// A connection that libmicrohttpd has suspended: it leaves the socket alone until the connection is resumed.
///
/// `@unchecked Sendable`: the handle only crosses to the thread that will resume it, exactly once, and
/// `MHD_resume_connection` may be called from any thread.
@safe
struct SuspendedConnection: @unchecked Sendable {
    private let handle: OpaquePointer
    private let inFlight: InFlight
    /// The socket, owned by libmicrohttpd; valid until ``resume()``.
    let socket: Int32

    /// Suspends the connection; nil if the server is stopping. Only inside one of the connection's callbacks
    /// (libmicrohttpd manual, "MHD_suspend_connection").
    init?(suspending handle: OpaquePointer, inFlight: InFlight) {
        guard inFlight.enter() else { return nil }
        unsafe self.handle = unsafe handle
        self.inFlight = inFlight
        socket = unsafe clarion_mhd_connection_socket(handle)
        unsafe MHD_suspend_connection(handle)
    }

    /// Hands the connection back; it may be freed before this returns, so nothing may be done with it afterwards.
    func resume() {
        unsafe MHD_resume_connection(handle)
        inFlight.leave()
    }

    /// Prepares the socket for a stream: frames leave at once (tcp(7), `TCP_NODELAY`), and a peer that vanished without
    /// a word is given up after five minutes of unacknowledged bytes (`TCP_USER_TIMEOUT`); far above what a reader
    /// that is merely slow needs to open its window again.
    func configure() {
        set(TCP_NODELAY, to: 1)
        set(TCP_USER_TIMEOUT, to: 5 * 60 * 1000)
    }

    private func set(_ option: Int32, to value: Int32) {
        var value = value
        _ = unsafe setsockopt(socket, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
