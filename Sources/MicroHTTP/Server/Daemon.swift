import Locking
import CMicroHTTPD
import Glibc
import Logging

/// The libmicrohttpd daemon itself: its handle and its callbacks.
///
/// `@unchecked Sendable`: libmicrohttpd's own functions on a daemon may be called from any thread; the handle is only
/// replaced under the lock.
@safe
final class Daemon: @unchecked Sendable {
    private let core: HTTPServer.Core
    private let handle: Lock<Handle>
    /// Closed by the daemon when it stops.
    private let listening: Int32

    @safe
    private struct Handle: @unchecked Sendable {
        var daemon: OpaquePointer?
        /// Lives as long as the daemon, which holds its address.
        let sink: UnsafeMutablePointer<clarion_log_sink>
    }

    init(core: HTTPServer.Core, socket: consuming ListeningSocket) throws(ServerError) {
        self.core = core
        // Unretained: this object holds the core, and stops the daemon before letting go.
        let context = unsafe Unmanaged.passUnretained(core).toOpaque()
        let sink = UnsafeMutablePointer<clarion_log_sink>.allocate(capacity: 1)
        unsafe sink.initialize(to: clarion_log_sink(write: Self.log, context: context))

        let configuration = core.configuration
        let listening = socket.release()
        let options = unsafe [
            // First, so that complaints about the others arrive.
            clarion_mhd_option_logger(sink),
            clarion_mhd_option_number(.LISTEN_SOCKET, Int(listening)),
            clarion_mhd_option_number(.THREAD_POOL_SIZE, configuration.threads),
            clarion_mhd_option_number(.CONNECTION_LIMIT, max(configuration.maximumConnections, configuration.threads)),
            clarion_mhd_option_number(.CONNECTION_MEMORY_LIMIT, configuration.connectionMemory),
            clarion_mhd_option_number(.CONNECTION_TIMEOUT, configuration.idleTimeout),
            clarion_mhd_option_target(Self.begin, context),
            clarion_mhd_option_unescape(Self.leaveEscaped, nil),
            clarion_mhd_option_completed(Self.complete, nil),
            clarion_mhd_option_connection(Self.notice, context),
            // Of use from version 1.0 on; 0.9.75 would answer a missing Host twice. See RequestHead.
            clarion_mhd_option_number(.STRICT_FOR_CLIENT, RequestHead.isParsedInPlace ? 0 : 1),
            clarion_mhd_option_number(.END, 0),
        ]
        let flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_ERROR_LOG.rawValue
        let daemon = unsafe clarion_mhd_start(flags, Self.access, nil, options)
        guard let daemon = unsafe daemon else {
            // Libmicrohttpd has closed the socket by now, except after an option that it refuses.
            unsafe sink.deallocate()
            throw ServerError(code: "start-failed", description: "libmicrohttpd did not start; its log line says why")
        }
        self.listening = listening
        unsafe handle = Lock(Handle(daemon: daemon, sink: sink))
    }

    deinit {
        core.inFlight.close()
        core.watch.stop()
        guard !stop() else { return }
        // It goes on for the rest of the process's life, and with it what its callbacks use.
        _ = unsafe Unmanaged.passRetained(core)
    }

    var connections: Int {
        handle.withLock { handle in
            guard let daemon = unsafe handle.daemon else { return 0 }
            return Int(unsafe clarion_mhd_connection_count(daemon))
        }
    }

    /// Has the kernel drop what arrives at the listening socket. Not `MHD_quiesce_daemon`: in 0.9.75 it and a busy
    /// worker can both remove the socket from the worker's epoll set, and the second to try aborts the process.
    func quiesce() {
        handle.withLock { handle in
            guard unsafe handle.daemon != nil else { return }
            _ = clarion_drop_arrivals(listening)
        }
    }

    /// Returns false, having done nothing, if connections are suspended: libmicrohttpd would abort the process.
    ///
    /// - Precondition: the gate of ``InFlight`` is closed.
    func stop() -> Bool {
        guard core.inFlight.suspended == 0 else { return false }
        let stopping = handle.withLock { handle in
            defer { unsafe handle.daemon = nil }
            return handle
        }
        guard let daemon = unsafe stopping.daemon else { return true }
        endConnections()
        // Outside the lock: it joins the threads, which may be inside a handler.
        unsafe MHD_stop_daemon(daemon)
        unsafe stopping.sink.deallocate()
        return true
    }

    /// Ends all connections, and waits until libmicrohttpd has closed them: a thread that came to refuse a request by itself
    /// while 0.9.75 is stopped would dereference null. Where no connection is left there is nothing to refuse.
    private func endConnections() {
        let deadline = ContinuousClock.now + .milliseconds(200)
        // Again: what had arrived before may become a connection now.
        while core.connections.count > 0, ContinuousClock.now < deadline {
            for connection in core.connections.all { core.connections.end(connection) }
            usleep(1_000)
        }
    }

    /// The thread begins to refuse a request by itself. While it is at that 0.9.75 may not be stopped: its response would be
    /// dropped unseen, and it would dereference null.
    private static func beginRefusing(_ core: HTTPServer.Core) {
        guard unsafe !clarion_is_refusing().pointee else { return }
        unsafe clarion_is_refusing().pointee = true
        core.inFlight.begin()
    }

    /// Another callback of the thread: it has come to the end of that. The connection is closed after it, at the latest.
    private static func endRefusing(_ core: HTTPServer.Core) {
        guard unsafe clarion_is_refusing().pointee else { return }
        unsafe clarion_is_refusing().pointee = false
        core.inFlight.complete()
    }

    // The callbacks. Nonisolated functions without captures; nothing throws or awaits across them.

    /// MHD_OPTION_NOTIFY_CONNECTION: a connection begins or ends. Its context is the ``Connection``, retained between.
    private static let notice: MHD_NotifyConnectionCallback = { context, handle, slot, event in
        guard let context = unsafe context, let slot = unsafe slot else { return }
        let core = unsafe Unmanaged<HTTPServer.Core>.fromOpaque(context).takeUnretainedValue()
        endRefusing(core)
        if event == .CONNECTION_NOTIFY_STARTED {
            guard let handle = unsafe handle else { return }
            let connection = unsafe Connection(handle: handle)
            if core.connections.insert(connection) { core.watch.wake() }
            unsafe slot.pointee = Unmanaged.passRetained(connection).toOpaque()
        } else if let retained = unsafe slot.pointee {
            unsafe slot.pointee = nil
            if unsafe clarion_current_connection().pointee == retained {
                unsafe clarion_current_connection().pointee = nil
            }
            let connection = unsafe Unmanaged<Connection>.fromOpaque(retained).takeRetainedValue()
            core.connections.remove(connection)
            connection.exchange = nil
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
            let core = unsafe Unmanaged<HTTPServer.Core>.fromOpaque(context).takeUnretainedValue()
            let connection = unsafe Unmanaged<Connection>.fromOpaque(owner).takeUnretainedValue()
            endRefusing(core)
            unsafe clarion_current_connection().pointee = owner
            connection.enter(.head)
            let bytes = unsafe UnsafeRawBufferPointer(start: target, count: strlen(target))
            let exchange = unsafe Exchange(
                target: bytes,
                ownFields: addOwnCookie(to: handle, connection, core),
                owner: connection,
                server: core
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
    private static func addOwnCookie(to handle: OpaquePointer, _ connection: Connection, _ core: HTTPServer.Core) -> Int
    {
        guard RequestHead.isParsedInPlace else { return 0 }
        if unsafe clarion_mhd_add_own_cookie(handle) == .YES { return 1 }
        // The request line has taken all memory.
        Refusal.send(414, to: connection, server: core)
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
        let core = unsafe Unmanaged<HTTPServer.Core>.fromOpaque(context).takeUnretainedValue()
        let isRefusal = unsafe strncmp(line, "Error processing request", 24) == 0 && RequestHead.isParsedInPlace
        guard isRefusal || core.logger.logLevel <= .debug else { return }
        if isRefusal { beginRefusing(core) }
        let text = unsafe String(cString: line)
        if isRefusal, let status = Refusal.status(in: text) {
            let current = unsafe clarion_current_connection().pointee.map {
                unsafe Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue()
            }
            if let connection = Refusal.connection(of: status, current: current, in: core.connections) {
                Refusal.send(status, to: connection, server: core)
            }
        }
        // Mostly about clients that left or sent garbage: of interest when looking for something, not otherwise.
        let printable = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        core.logger.debug("libmicrohttpd", metadata: ["line": .string(String(String.UnicodeScalarView(printable)))])
    }
}
