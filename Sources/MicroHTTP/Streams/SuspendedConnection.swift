import CMicroHTTPD

/// A connection that libmicrohttpd has suspended: it leaves the socket alone until the connection is resumed.
///
/// `@unchecked Sendable`: the handle only crosses to the thread that will resume it, exactly once, and
/// `MHD_resume_connection` may be called from any thread.
@safe
struct SuspendedConnection: @unchecked Sendable {
    private let handle: OpaquePointer
    private let loop: EventLoop
    /// The socket, owned by libmicrohttpd; valid until ``resume()``.
    let socket: Int32

    /// Suspends the connection. Only inside one of the connection's callbacks (libmicrohttpd manual,
    /// "MHD_suspend_connection"), and after ``InFlight/enter()`` has let it in.
    init(suspending handle: OpaquePointer, of loop: EventLoop) {
        unsafe self.handle = unsafe handle
        self.loop = loop
        socket = unsafe clarion_mhd_connection_socket(handle)
        unsafe MHD_suspend_connection(handle)
    }

    /// Hands the connection back; it may be freed before this returns, so nothing may be done with it afterwards.
    func resume() {
        unsafe MHD_resume_connection(handle)
        loop.hasResumed()
        loop.core.inFlight.leave()
    }
}
