import CMicroHTTPD
import Glibc
import Logging

/// A libmicrohttpd daemon without a thread: its event loop runs it, and gives it connections.
///
/// Confined to the loop's thread, but for when it is made.
@safe
final class Daemon {
    /// Readable when ``run()`` has something to do.
    let descriptor: Int32
    private let handle: OpaquePointer
    /// Lives as long as the daemon, which holds its address.
    private let sink: UnsafeMutablePointer<clarion_log_sink>

    init(for loop: EventLoop) throws(ServerError) {
        // Unretained: the loop holds this object, and outlives it.
        let context = unsafe Unmanaged.passUnretained(loop).toOpaque()
        let sink = UnsafeMutablePointer<clarion_log_sink>.allocate(capacity: 1)
        unsafe sink.initialize(to: clarion_log_sink(write: Self.log, context: context))

        let configuration = loop.core.configuration
        var options = unsafe [
            // First, so that complaints about the others arrive.
            clarion_mhd_option_logger(sink),
            // Connections are counted before it gets them.
            clarion_mhd_option_number(.CONNECTION_LIMIT, Int(Int32.max)),
            clarion_mhd_option_number(.CONNECTION_MEMORY_LIMIT, configuration.connectionMemory),
            clarion_mhd_option_number(.CONNECTION_TIMEOUT, configuration.idleSeconds),
            clarion_mhd_option_target(Self.begin, context),
            clarion_mhd_option_unescape(Self.leaveEscaped, nil),
            clarion_mhd_option_completed(Self.complete, nil),
            clarion_mhd_option_connection(Self.notice, context),
            // Of use from version 1.0 on; 0.9.75 would answer a missing Host twice. See RequestHead.
            clarion_mhd_option_number(.STRICT_FOR_CLIENT, RequestHead.isParsedInPlace ? 0 : 1),
        ]
        var flags =
            MHD_USE_EPOLL.rawValue | MHD_USE_NO_LISTEN_SOCKET.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | MHD_USE_ERROR_LOG.rawValue
        if configuration.certificate != nil {
            flags |= MHD_USE_TLS.rawValue
            unsafe options += SecureSession.options
        } else {
            // A socket is closed without shutdown(2), which would also end a stream that goes on on a duplicate of it.
            flags |= MHD_USE_TURBO.rawValue
        }
        unsafe options.append(clarion_mhd_option_number(.END, 0))
        let daemon = unsafe clarion_mhd_start(flags, Self.access, nil, options)
        guard let daemon = unsafe daemon else {
            unsafe sink.deallocate()
            throw ServerError(code: "start-failed", description: "libmicrohttpd did not start; its log line says why")
        }
        unsafe (handle, self.sink) = unsafe (daemon, sink)
        descriptor = unsafe clarion_mhd_epoll_descriptor(daemon)
    }

    /// Closes all connections. None may be suspended: libmicrohttpd would abort the process.
    deinit {
        unsafe MHD_stop_daemon(handle)
        unsafe sink.deallocate()
    }

    /// Does what there is to do, without waiting. Returns whether there is more.
    func run() -> Bool {
        unsafe MHD_run(handle)
        var milliseconds: UInt64 = 0
        return unsafe MHD_get_timeout(handle, &milliseconds) == .YES && milliseconds == 0
    }

    /// Gives it a connection, whose socket is its own from now on. Returns false if it could not take it and has closed it.
    func add(_ arrival: Arrival) -> Bool {
        var arrival = arrival
        return unsafe withUnsafeMutablePointer(to: &arrival.address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe MHD_add_connection(handle, arrival.socket, $0, arrival.addressLength) == .YES
            }
        }
    }

    /// Closes a connection in the next run, also one that libmicrohttpd asks for ever. None that is suspended: told of its end
    /// before it is resumed, libmicrohttpd would keep it for ever.
    func end(_ connection: Connection) {
        connection.isEnded = true
        shutdown(connection.socket, Int32(SHUT_RDWR))
        guard RequestHead.isParsedInPlace else { return }
        unsafe clarion_mhd_watch_end(descriptor, connection.socket, connection.handle)
    }

    // The callbacks. Nonisolated functions without captures; nothing throws or awaits across them.

    /// MHD_OPTION_NOTIFY_CONNECTION: a connection begins or ends. Its context is the ``Connection``, retained between.
    private static let notice: MHD_NotifyConnectionCallback = { context, handle, slot, event in
        guard let context = unsafe context, let slot = unsafe slot else { return }
        let loop = unsafe Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
        loop.calls += 1
        if event == .CONNECTION_NOTIFY_STARTED {
            guard let handle = unsafe handle else { return }
            // What it shows from here to its end, also if others are read meanwhile.
            let credentials = loop.core.configuration.certificate?.credentials
            let session = credentials.flatMap { unsafe SecureSession(of: handle, showing: $0) }
            let connection = unsafe Connection(handle: handle, session: session, consumed: loop.consumedBefore)
            loop.connections.insert(connection)
            if session != nil {
                // A handshake is several small writes, of which each would wait for the client's delayed acknowledgement.
                StreamSlot.configure(connection.socket)
                loop.handshakes.insert(connection)
            }
            unsafe slot.pointee = Unmanaged.passRetained(connection).toOpaque()
        } else if let retained = unsafe slot.pointee {
            unsafe slot.pointee = nil
            let connection = unsafe Unmanaged<Connection>.fromOpaque(retained).takeRetainedValue()
            if loop.current === connection { loop.current = nil }
            loop.connections.remove(connection)
            loop.handshakes.remove(connection)
            connection.exchange = nil
            if !connection.isHandedOver { loop.forget() }
        }
    }

    /// MHD_OPTION_URI_LOG_CALLBACK: the only place where the target is seen as it came. What it returns is the
    /// request's context, owned by its connection.
    private static let begin:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
            context,
            target,
            handle in
            guard let context = unsafe context, let target = unsafe target, let handle = unsafe handle,
                let owner = unsafe clarion_mhd_socket_context(handle)
            else { return nil }
            let loop = unsafe Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
            let connection = unsafe Unmanaged<Connection>.fromOpaque(owner).takeUnretainedValue()
            loop.calls += 1
            loop.current = connection
            connection.enter(.head)
            let bytes = unsafe UnsafeRawBufferPointer(start: target, count: strlen(target))
            let exchange = unsafe Exchange(
                target: bytes,
                ownFields: addOwnCookie(to: handle, connection, loop),
                owner: connection,
                loop: loop
            )
            connection.exchange = exchange
            // Libmicrohttpd would now parse the query, which we do ourselves, into the connection's small memory, and
            // 0.9.75 leaves a client hanging when it does not fit. The buffer is its own and writable; only the
            // callback's type is const. With nothing after the question mark there is nothing to parse.
            if let mark = unsafe bytes.firstIndex(of: UInt8(ascii: "?")) {
                unsafe UnsafeMutablePointer(mutating: target)[mark + 1] = 0
            }
            return unsafe Unmanaged.passUnretained(exchange).toOpaque()
        }

    /// Puts a cookie of our own before the client's. Libmicrohttpd copies the first `Cookie` field and parses the copy,
    /// which nobody reads; where it does not fit, 0.9.75 answers twice. Returns how many fields were added.
    private static func addOwnCookie(to handle: OpaquePointer, _ connection: Connection, _ loop: EventLoop) -> Int {
        guard RequestHead.isParsedInPlace else { return 0 }
        if unsafe clarion_mhd_add_own_cookie(handle) == .YES { return 1 }
        // The request line has taken all memory. Libmicrohttpd goes on with the head, and refuses it.
        Refusal.send(414, to: connection, readsAway: false, loop: loop)
        return 0
    }

    private static let complete:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
            MHD_RequestTerminationCode
        ) -> Void = { _, handle, slot, _ in
            unsafe slot?.pointee = nil
            guard let handle = unsafe handle, let owner = unsafe clarion_mhd_socket_context(handle) else { return }
            let connection = unsafe Unmanaged<Connection>.fromOpaque(owner).takeUnretainedValue()
            connection.exchange = nil
            connection.enter(.idle)
        }

    private static let access: MHD_AccessHandlerCallback = { _, connection, _, method, version, data, size, slot in
        guard let connection = unsafe connection, let method = unsafe method, let version = unsafe version,
            let size = unsafe size, let exchange = unsafe slot?.pointee
        else { return .NO }
        let request = unsafe Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue()
        let upload = unsafe UnsafeRawBufferPointer(start: data, count: size.pointee)
        // All of it is taken, always.
        unsafe size.pointee = 0
        return unsafe request.advance(connection, method: method, version: version, upload: upload) ? .YES : .NO
    }

    /// Targets are split first and decoded after, so libmicrohttpd must not decode them.
    private static let leaveEscaped:
        @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int = { _, _, text in
            // 0.9.75 does not look at the length, and may have given the text's memory back already.
            guard !RequestHead.isParsedInPlace, let text = unsafe text else { return 0 }
            return unsafe strlen(text)
        }

    private static let log: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void = {
        context,
        line in
        guard let context = unsafe context, let line = unsafe line else { return }
        let loop = unsafe Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
        let logger = loop.core.logger
        let isRefusal = unsafe strncmp(line, "Error processing request", 24) == 0 && RequestHead.isParsedInPlace
        guard isRefusal || logger.logLevel <= .debug else { return }
        let text = unsafe String(cString: line)
        if isRefusal, let status = Refusal.status(in: text), let connection = loop.connectionRefused(with: status) {
            Refusal.send(status, to: connection, loop: loop)
        }
        // So each stream's connection is handed over.
        guard !text.hasPrefix("Closing connection (application error generating response)") else { return }
        // Mostly about clients that left or sent garbage: of interest when looking for something, not otherwise.
        let printable = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        logger.debug("libmicrohttpd", metadata: ["line": .string(String(String.UnicodeScalarView(printable)))])
    }
}
