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
        // Outside the lock: it joins the threads, which may be inside a handler.
        unsafe MHD_stop_daemon(daemon)
        unsafe stopping.sink.deallocate()
        return true
    }

    // The callbacks. Nonisolated functions without captures; nothing throws or awaits across them.

    /// MHD_OPTION_URI_LOG_CALLBACK: the only place where the target is seen as it came. What it returns is the
    /// request's context, released in `complete`, which libmicrohttpd calls for every request that this was called for.
    private static let begin:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
            context,
            target,
            _ in
            guard let context = unsafe context, let target = unsafe target else { return nil }
            let core = unsafe Unmanaged<HTTPServer.Core>.fromOpaque(context).takeUnretainedValue()
            let bytes = unsafe Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
            let exchange = Exchange(target: bytes, server: core)
            // Libmicrohttpd would now parse the query, which we do ourselves, into the connection's small memory, and
            // 0.9.75 leaves a client hanging when it does not fit. The buffer is its own and writable; only the
            // callback's type is const. With nothing after the question mark there is nothing to parse.
            if let mark = bytes.firstIndex(of: UInt8(ascii: "?")) {
                unsafe UnsafeMutablePointer(mutating: target)[mark + 1] = 0
            }
            return unsafe Unmanaged.passRetained(exchange).toOpaque()
        }

    private static let complete:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
            MHD_RequestTerminationCode
        ) -> Void = { _, _, slot, _ in
            guard let exchange = unsafe slot?.pointee else { return }
            unsafe slot?.pointee = nil
            unsafe Unmanaged<Exchange>.fromOpaque(exchange).release()
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
            guard let text = unsafe text else { return 0 }
            return unsafe strlen(text)
        }

    private static let log: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void = {
        context,
        line in
        guard let context = unsafe context, let line = unsafe line else { return }
        let core = unsafe Unmanaged<HTTPServer.Core>.fromOpaque(context).takeUnretainedValue()
        // Mostly about clients that left or sent garbage: of interest when looking for something, not otherwise.
        let text = unsafe String(cString: line).filter { !$0.isNewline && !($0.isASCII && $0.asciiValue ?? 32 < 32) }
        core.logger.debug("libmicrohttpd", metadata: ["line": .string(text)])
    }
}
