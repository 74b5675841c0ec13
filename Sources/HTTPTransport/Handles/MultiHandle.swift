package import CCurl
package import Posix

/// A libcurl multi handle with its sockets, freed with the value. Confined to the thread that created it.
///
/// Safe: the pointer is valid until `deinit`. libcurl holds the watch's address without owning it: it calls back only
/// inside calls on the handle, which ends before the watch does.
@safe
package struct MultiHandle: ~Copyable {
    private let handle: UnsafeMutableRawPointer
    private let sockets: SocketWatch

    /// Fails only when libcurl is out of memory or file descriptors.
    ///
    /// - Parameters:
    ///   - keptConnections: how many connections are kept, busy ones included.
    ///   - maximumConnections: how many there may be.
    package init?(keptConnections: Int, maximumConnections: Int) {
        guard Self.isLibraryReady, let sockets = SocketWatch(), let handle = unsafe curl_multi_init() else {
            return nil
        }
        self.sockets = sockets
        unsafe self.handle = handle
        let watch = unsafe Unmanaged.passUnretained(sockets).toOpaque()
        unsafe clarion_multi_set_long(handle, CURLMOPT_MAXCONNECTS, keptConnections)
        // Idle ones are closed to make room. No attempt waits for it, because fewer are under way: its time would pass.
        unsafe clarion_multi_set_long(handle, CURLMOPT_MAX_TOTAL_CONNECTIONS, maximumConnections)
        unsafe clarion_multi_set_socket_function(handle, Self.socketFunction, watch)
        unsafe clarion_multi_set_timer_function(handle, Self.timerFunction, watch)
    }

    deinit {
        unsafe curl_multi_cleanup(handle)
    }

    /// Ends ``wait(milliseconds:)``.
    package var wakeUp: WakeUp { sockets.wakeUp }

    /// Begins a transfer. Whoever owns the easy handle keeps it until it was removed.
    package func add(_ easy: UnsafeMutableRawPointer) -> Bool {
        unsafe curl_multi_add_handle(handle, easy) == CURLM_OK
    }

    package func remove(_ easy: UnsafeMutableRawPointer) {
        unsafe curl_multi_remove_handle(handle, easy)
    }

    /// Does all that can be done without waiting, at the sockets that are ready.
    package func perform() {
        var running: Int32 = 0
        if !sockets.isAnyReady { sockets.wait(milliseconds: 0) }
        while let (socket, events) = sockets.nextReady() {
            unsafe curl_multi_socket_action(handle, socket, events, &running)
        }
        if sockets.takeTimeout() {
            unsafe curl_multi_socket_action(handle, CURL_SOCKET_TIMEOUT, 0, &running)
        }
    }

    /// The easy handle of the next finished transfer, and its result.
    package func nextFinishedHandle() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var remaining: Int32 = 0
        while let message = unsafe curl_multi_info_read(handle, &remaining) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle
            else { continue }
            return unsafe (easy, message.pointee.data.result)
        }
        return nil
    }

    /// Waits until a socket is ready, a timeout of libcurl's own passes, ``wakeUp`` is used, or the time is up.
    ///
    /// - Returns: whether it was not the time that ended it.
    @discardableResult
    package func wait(milliseconds: Int) -> Bool {
        sockets.wait(milliseconds: milliseconds)
    }

    /// `CURLMOPT_SOCKETFUNCTION(3)`
    private static let socketFunction: curl_socket_callback = { _, socket, interest, watch, _ in
        guard let watch = unsafe watch else { return 0 }
        unsafe Unmanaged<SocketWatch>.fromOpaque(watch).takeUnretainedValue().watch(socket, for: interest)
        return 0
    }

    /// `CURLMOPT_TIMERFUNCTION(3)`
    private static let timerFunction: curl_multi_timer_callback = { _, milliseconds, watch in
        guard let watch = unsafe watch else { return 0 }
        unsafe Unmanaged<SocketWatch>.fromOpaque(watch).takeUnretainedValue().setTimeout(milliseconds: milliseconds)
        return 0
    }

    /// `curl_global_init(3)`, once; never undone, since libcurl may be used elsewhere in the process.
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
