import CMicroHTTPD

/// Turns the response to a request into libmicrohttpd's, within a callback of its connection. What queues it returns false
/// if the connection must be closed.
@safe
struct MessageWriter {
    private let connection: OpaquePointer
    private let closes: Bool
    private let id: String
    private let server: HTTPServer.Core

    /// - Parameter closes: whether no other request is taken on the connection.
    init(_ connection: OpaquePointer, closes: Bool, id: String, server: HTTPServer.Core) {
        unsafe self.connection = unsafe connection
        self.closes = closes
        self.id = id
        self.server = server
    }

    /// Queues a whole response.
    func queue(_ response: Response) -> Bool {
        let handle =
            if let constant = response.constant {
                unsafe Self.share(constant)
            } else {
                unsafe response.body.withUnsafeBytes { body in
                    // MUST_COPY: libmicrohttpd sends after this returns. It only reads through the pointer.
                    unsafe MHD_create_response_from_buffer(
                        body.count,
                        UnsafeMutableRawPointer(mutating: body.baseAddress),
                        .RESPMEM_MUST_COPY
                    )
                }
            }
        guard let handle = unsafe handle else { return false }
        return unsafe queue(handle, head: response)
    }

    /// A response that sends a body without a copy of it, and keeps it until then.
    private static func share(_ body: ConstantBody) -> OpaquePointer? {
        // Released by the free callback, which libmicrohttpd calls exactly once, when the response goes.
        let context = unsafe Unmanaged.passRetained(body).toOpaque()
        let handle = unsafe MHD_create_response_from_buffer_with_free_callback_cls(
            body.bytes.count,
            UnsafeMutableRawPointer(mutating: body.bytes.baseAddress),
            { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<ConstantBody>.fromOpaque(context).release()
            },
            context
        )
        if unsafe handle == nil { unsafe Unmanaged<ConstantBody>.fromOpaque(context).release() }
        return unsafe handle
    }

    /// Queues the head of a detached stream. Libmicrohttpd's response holds its hand-over from here.
    func queue(_ head: Response, _ handover: StreamHandover) -> Bool {
        // Released by the free callback, which libmicrohttpd calls exactly once, when the response goes.
        let context = unsafe Unmanaged.passRetained(handover).toOpaque()
        let handle = unsafe MHD_create_response_from_callback(
            clarion_mhd_size_unknown(),
            StreamHandover.blockSize,
            { context, _, buffer, capacity in
                guard let context = unsafe context, let buffer = unsafe buffer else {
                    return ssize_t(StreamHandover.endOfStream)
                }
                let handover = unsafe Unmanaged<StreamHandover>.fromOpaque(context).takeUnretainedValue()
                return unsafe handover.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
            },
            context,
            { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<StreamHandover>.fromOpaque(context).release()
            }
        )
        guard let handle = unsafe handle else {
            unsafe Unmanaged<StreamHandover>.fromOpaque(context).release()
            return false
        }
        return unsafe queue(handle, head: head)
    }

    /// Queues the head that a detached stream would have, in answer to HEAD: libmicrohttpd never asks for the body.
    func queue(headOfStream head: Response) -> Bool {
        let handle = unsafe MHD_create_response_from_callback(
            clarion_mhd_size_unknown(),
            StreamHandover.blockSize,
            { _, _, _, _ in ssize_t(StreamHandover.endOfStream) },
            nil,
            nil
        )
        guard let handle = unsafe handle else { return false }
        // Without a transfer coding: libmicrohttpd 0.9.75 would send the last chunk after this head, too. The connection is
        // closed instead.
        _ = unsafe clarion_mhd_set_response_flags(handle, .RF_HTTP_1_0_COMPATIBLE_STRICT)
        return unsafe queue(handle, head: head)
    }

    private func queue(_ handle: OpaquePointer, head: Response) -> Bool {
        // Libmicrohttpd counts references: the connection keeps the response for as long as it needs it.
        defer { unsafe MHD_destroy_response(handle) }
        unsafe Self.add("Server", server.configuration.serverName, to: handle)
        unsafe Self.add("Request-Id", id, to: handle)
        if closes || server.inFlight.isDraining { unsafe Self.add("Connection", "close", to: handle) }
        for (name, value) in head.headers { unsafe Self.add(name, value, to: handle) }
        return unsafe MHD_queue_response(connection, UInt32(head.status.code), handle) == .YES
    }

    /// A field that libmicrohttpd refuses, since it holds a line break, is missing: the response is never split.
    ///
    /// `withCString` lends a string's own bytes; as an argument it would be copied first.
    private static func add(_ name: String, _ value: String, to response: OpaquePointer) {
        unsafe name.withCString { name in
            _ = unsafe value.withCString { unsafe MHD_add_response_header(response, name, $0) }
        }
    }
}
