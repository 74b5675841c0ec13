import CCurl
package import Posix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

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
    /// - Parameter keptConnections: how many connections are kept, busy ones included. There may be so many beside those of
    ///   the transfers that are under way.
    package init?(keptConnections: Int) {
        guard Self.isLibraryReady, let sockets = SocketWatch(), let handle = unsafe curl_multi_init() else {
            return nil
        }
        self.sockets = sockets
        unsafe self.handle = handle
        let watch = unsafe Unmanaged.passUnretained(sockets).toOpaque()
        unsafe clarion_multi_set_long(handle, CURLMOPT_MAXCONNECTS, keptConnections)
        unsafe clarion_multi_set_socket_function(handle, Self.socketFunction, watch)
        unsafe clarion_multi_set_timer_function(handle, Self.timerFunction, watch)
    }

    deinit {
        unsafe curl_multi_cleanup(handle)
    }

    /// Ends ``wait(milliseconds:)``.
    package var wakeUp: WakeUp { sockets.wakeUp }

    /// Begins a transfer. Whoever owns the easy handle keeps it until it was removed.
    package func add(_ easy: borrowing EasyHandle) -> Bool {
        let watch = unsafe Unmanaged.passUnretained(sockets).toOpaque()
        unsafe clarion_easy_set_close_socket_function(easy.pointer, Self.closeSocketFunction)
        unsafe clarion_easy_set_pointer(easy.pointer, CURLOPT_CLOSESOCKETDATA, watch)
        unsafe easy.shared.pointee.sockets = sockets
        return unsafe curl_multi_add_handle(handle, easy.pointer) == CURLM_OK
    }

    package func remove(_ easy: borrowing EasyHandle) {
        unsafe curl_multi_remove_handle(handle, easy.pointer)
        sockets.hasServed()
    }

    /// At how many sockets ``perform()`` does something: what comes meanwhile does not wait for all that are ready.
    private static let socketsPerTurn = 8

    /// Does what can be done without waiting, at some of the sockets that are ready.
    package func perform() {
        var running: Int32 = 0
        if !sockets.isAnyReady { sockets.wait(milliseconds: 0) }
        for _ in 0..<Self.socketsPerTurn {
            guard let (socket, events) = sockets.nextReady() else { break }
            unsafe curl_multi_socket_action(handle, socket, events, &running)
        }
        if sockets.takeTimeout() {
            unsafe curl_multi_socket_action(handle, CURL_SOCKET_TIMEOUT, 0, &running)
        }
        if sockets.takeSweep() { sweep() }
    }

    /// Closes idle connections that the other side has ended. libcurl does so only when a transfer is about to look for a
    /// connection, so one is begun that gets no socket, since nobody owns it.
    private func sweep() {
        guard let easy = EasyHandle() else { return }
        easy.setURL("http://127.0.0.1/")
        easy.setProxy(nil)
        guard add(easy) else { return }
        var running: Int32 = 0
        unsafe curl_multi_socket_action(handle, CURL_SOCKET_TIMEOUT, 0, &running)
        unsafe curl_multi_remove_handle(handle, easy.pointer)
    }

    /// The owner of the next transfer that has ended, and how it did.
    package func nextFinished<Owner: TransferOwner>(of type: Owner.Type) -> (owner: Owner, ending: TransferEnding)? {
        var remaining: Int32 = 0
        while let message = unsafe curl_multi_info_read(handle, &remaining) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle,
                let shared = unsafe EasyHandle.shared(of: easy), let owner = unsafe shared.pointee.owner as? Owner
            else { continue }
            let code = unsafe message.pointee.data.result
            // libcurl closes the socket of a connection that has served by our callback, and others behind our back.
            if code == CURLE_OK, unsafe shared.pointee.hasOpenedSocket {
                var socket: curl_socket_t = CURL_SOCKET_BAD
                unsafe clarion_easy_get_socket(easy, CURLINFO_ACTIVESOCKET, &socket)
                if socket != CURL_SOCKET_BAD { sockets.keep(socket) }
            }
            return (owner, unsafe TransferEnding(code, of: easy, sharing: shared))
        }
        return nil
    }

    /// Waits until a socket is ready, a timeout of libcurl's own passes, ``wakeUp`` is used, or the time is up.
    package func wait(milliseconds: Int) {
        if !sockets.isAnyReady { sockets.wait(milliseconds: milliseconds) }
    }

    /// `CURLMOPT_SOCKETFUNCTION(3)`
    private static let socketFunction: curl_socket_callback = { easy, socket, interest, watch, _ in
        guard let watch = unsafe watch else { return 0 }
        // Asked for each transfer anew, also over a connection that was kept.
        if interest != CURL_POLL_REMOVE, let easy = unsafe easy, let shared = unsafe EasyHandle.shared(of: easy) {
            unsafe shared.pointee.socket = socket
        }
        unsafe Unmanaged<SocketWatch>.fromOpaque(watch).takeUnretainedValue().watch(socket, for: interest)
        return 0
    }

    /// `CURLOPT_CLOSESOCKETFUNCTION(3)`
    private static let closeSocketFunction: curl_closesocket_callback = { watch, socket in
        if let watch = unsafe watch {
            unsafe Unmanaged<SocketWatch>.fromOpaque(watch).takeUnretainedValue().forget(socket)
        }
        return close(socket)
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
