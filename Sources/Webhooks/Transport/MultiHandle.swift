import CCurl

/// A libcurl multi handle, freed with the value. Confined to the thread that created it, except for ``Waker``.
///
/// Safe: the pointer is valid until `deinit`.
@safe
struct MultiHandle: ~Copyable {
    /// Interrupts ``poll(milliseconds:)``. May be used from any thread, as long as the multi handle lives.
    @safe
    struct Waker: @unchecked Sendable {
        // Sendable because curl_multi_wakeup(3) is the one function that is documented as callable from any thread, and
        // it is all this does with the pointer.
        fileprivate let handle: UnsafeMutableRawPointer

        func wake() {
            unsafe curl_multi_wakeup(handle)
        }
    }

    private let handle: UnsafeMutableRawPointer

    /// Fails only when libcurl is out of memory or file descriptors.
    ///
    /// - Parameter maxConnections: how many connections are kept, busy ones included.
    init?(maxConnections: Int) {
        guard Self.isLibraryReady, let handle = unsafe curl_multi_init() else { return nil }
        unsafe self.handle = handle
        unsafe clarion_multi_set_long(handle, CURLMOPT_MAXCONNECTS, maxConnections)
    }

    deinit {
        unsafe curl_multi_cleanup(handle)
    }

    var waker: Waker { unsafe Waker(handle: handle) }

    func add(_ exchange: Exchange) -> Bool {
        unsafe curl_multi_add_handle(handle, exchange.handle) == CURLM_OK
    }

    func remove(_ exchange: Exchange) {
        unsafe curl_multi_remove_handle(handle, exchange.handle)
    }

    /// Does all that can be done without waiting.
    func perform() {
        var running: Int32 = 0
        unsafe curl_multi_perform(handle, &running)
    }

    /// The next finished exchange and its result.
    func nextFinished() -> (exchange: Exchange, code: CURLcode)? {
        var remaining: Int32 = 0
        while let message = unsafe curl_multi_info_read(handle, &remaining) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle,
                let exchange = unsafe Exchange.of(easy)
            else { continue }
            return unsafe (exchange, message.pointee.data.result)
        }
        return nil
    }

    /// Waits until a socket is ready, a timeout of libcurl's own passes, ``Waker/wake()`` is called, or the time is up.
    func poll(milliseconds: Int32) {
        unsafe curl_multi_poll(handle, nil, 0, milliseconds, nil)
    }

    /// `curl_global_init(3)`, once; never undone, since libcurl may be used elsewhere in the process.
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
