import CCurl

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension EasyHandle {
    /// What libcurl's callbacks find at the address that they are given.
    ///
    /// Safe: the handle frees the text when it goes.
    @safe
    struct Shared {
        /// Owned by nobody here: see ``EasyHandle``.
        unowned(unsafe) var owner: (any TransferOwner)?
        /// Whether the owner is asked for each address.
        var isJudged = false
        /// Whether the transfer has a connection of its own, rather than one that was kept.
        var hasOpenedSocket = false
        /// When the request was first about to be sent.
        var sentAt: ContinuousClock.Instant?
        /// The socket that is watched for it.
        var socket: Int32?
        /// Those of the multi handle that it was added to, which owns them.
        unowned(unsafe) var sockets: SocketWatch?
        var lines = LineBound()
        var framing = FramingBound()

        /// libcurl's sentence about the last failure (`CURLOPT_ERRORBUFFER(3)`).
        let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    }

    /// Has libcurl call its owner back.
    package func serve(_ owner: any TransferOwner) {
        unsafe shared.pointee.owner = owner
    }

    func setCallbacks() {
        unsafe clarion_easy_set_write_function(pointer, Self.writeFunction)
        unsafe clarion_easy_set_header_function(pointer, Self.headerFunction)
        unsafe clarion_easy_set_progress_function(pointer, Self.progressFunction)
        unsafe clarion_easy_set_open_socket_function(pointer, Self.openSocketFunction)
        unsafe clarion_easy_set_prereq_function(pointer, Self.requestFunction)
    }

    /// Has the owner be asked for each address that is about to be connected to.
    package func judgeAddresses() {
        unsafe shared.pointee.isJudged = true
    }

    /// What a handle that libcurl hands back shares.
    static func shared(of easy: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Shared>? {
        var pointer: UnsafeMutableRawPointer? = nil
        guard unsafe clarion_easy_get_pointer(easy, CURLINFO_PRIVATE, &pointer) == CURLE_OK else { return nil }
        return unsafe pointer?.assumingMemoryBound(to: Shared.self)
    }

    private static func owner(_ shared: UnsafeMutableRawPointer?) -> (any TransferOwner)? {
        unsafe shared?.assumingMemoryBound(to: Shared.self).pointee.owner
    }

    /// `CURLOPT_HEADERFUNCTION(3)`: any count but the one given ends the transfer.
    private nonisolated static let headerFunction: curl_write_callback = { bytes, size, count, shared in
        guard let owner = unsafe owner(shared), let bytes = unsafe bytes,
            let shared = unsafe shared?.assumingMemoryBound(to: Shared.self),
            unsafe shared.pointee.lines.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
        else { return 0 }
        unsafe owner.receive(line: UnsafeRawBufferPointer(start: bytes, count: size * count))
        return size * count
    }

    /// `CURLOPT_WRITEFUNCTION(3)`: any count but the one given ends the transfer.
    private nonisolated static let writeFunction: curl_write_callback = { bytes, size, count, shared in
        guard let owner = unsafe owner(shared), let bytes = unsafe bytes, size * count > 0,
            let shared = unsafe shared?.assumingMemoryBound(to: Shared.self)
        else { return 0 }
        switch unsafe owner.receive(body: UnsafeRawBufferPointer(start: bytes, count: size * count)) {
        case .taken: return size * count
        case .refused: return 0
        case .later:
            unsafe shared.pointee.sockets?.pause(shared.pointee.socket)
            return Int(CURL_WRITEFUNC_PAUSE)
        }
    }

    /// `CURLOPT_XFERINFOFUNCTION(3)`: any answer but 0 ends the transfer.
    private nonisolated static let progressFunction: curl_xferinfo_callback = { shared, _, downloaded, _, _ in
        guard let shared = unsafe shared?.assumingMemoryBound(to: Shared.self) else { return 0 }
        let told = unsafe Int64(downloaded) &+ Int64(shared.pointee.lines.bytes)
        return unsafe shared.pointee.framing.takeTurn(told: told, over: shared.pointee.socket) ? 0 : 1
    }

    /// `CURLOPT_OPENSOCKETFUNCTION(3)`: `CURL_SOCKET_BAD` makes libcurl try the next address, or give up with
    /// `CURLE_COULDNT_CONNECT`. No handle goes without: programs that this one starts would inherit libcurl's own sockets.
    private nonisolated static let openSocketFunction: curl_opensocket_callback = { pointer, _, address in
        guard let owner = unsafe owner(pointer), let address = unsafe address,
            let shared = unsafe pointer?.assumingMemoryBound(to: Shared.self)
        else { return CURL_SOCKET_BAD }
        if unsafe shared.pointee.isJudged {
            let name = unsafe UnsafeRawBufferPointer(
                start: clarion_sockaddr(address),
                count: Int(address.pointee.addrlen)
            )
            guard unsafe owner.permits(address: name) else { return CURL_SOCKET_BAD }
        }
        let socket = unsafe clarion_open_socket(address)
        if socket == CURL_SOCKET_BAD { owner.lacksSocket(errno) }
        unsafe shared.pointee.hasOpenedSocket = true
        return socket
    }

    /// `CURLOPT_PREREQFUNCTION(3)`: called whenever the request is about to be sent. libcurl sends one again, by itself, if a kept
    /// connection ends without an answer. That is for connections that the server was closing anyhow, and so comes at once; later
    /// the server had the request, and whoever has made it decides whether it is made again, and what it says then.
    private nonisolated static let requestFunction: curl_prereq_callback = { shared, _, _, _, _ in
        guard let owner = unsafe owner(shared), owner.isWanted(),
            let shared = unsafe shared?.assumingMemoryBound(to: Shared.self)
        else { return CURL_PREREQFUNC_ABORT }
        let now = ContinuousClock.now
        guard let first = unsafe shared.pointee.sentAt else {
            unsafe shared.pointee.sentAt = now
            return CURL_PREREQFUNC_OK
        }
        return now - first < .seconds(1) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
}
