import CMicroHTTPD

/// One request on its way through libmicrohttpd's callbacks: head, then body piece by piece, then the answer.
///
/// Only the connection's server thread touches it; what other threads need is in ``PendingAnswer``.
final class Exchange {
    private enum Phase {
        case head
        case body
        case waiting(PendingAnswer)
        case answered
    }

    private let rawTarget: String
    private var phase = Phase.head
    private var body: BodyBuffer
    private var headers = HeaderFields()
    private var id = ""

    init(target: String, bodyLimit: Int) {
        rawTarget = target
        body = BodyBuffer(limit: bodyLimit)
    }

    /// A turn of the access handler (libmicrohttpd manual, "MHD_AccessHandlerCallback"). Returns false to close the
    /// connection.
    func advance(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, upload: UnsafeRawBufferPointer, server: HTTPServer.Core
    ) -> Bool {
        switch phase {
        case .head:
            phase = .body
            return unsafe receiveHead(connection, server: server)
        case .body where upload.count > 0:
            return unsafe body.append(upload)
        case .body:
            return unsafe answer(connection, method: method, server: server)
        case .waiting(let answer):
            // Only a responder resumes a suspended request, after it has set the answer.
            guard let response = answer.take() else { return false }
            phase = .answered
            return unsafe MessageWriter.queue(response, on: connection, id: id, server: server)
        case .answered:
            return true
        }
    }

    private func receiveHead(_ connection: OpaquePointer, server: HTTPServer.Core) -> Bool {
        unsafe headers.read(from: connection)
        id = headers["Request-Id"].flatMap(RequestID.accept) ?? RequestID.next()
        let declared = body.declare(
            length: headers["Content-Length"].flatMap { Int($0) }, awaitsContinue: headers.contains("Expect"))
        guard declared == .refuse else { return true }
        phase = .answered
        return unsafe MessageWriter.queue(tooLarge(server), on: connection, id: id, server: server)
    }

    private func answer(_ connection: OpaquePointer, method: UnsafePointer<CChar>, server: HTTPServer.Core) -> Bool {
        let reply = unsafe reply(
            to: Method(String(cString: method)), from: RemoteAddress.text(of: connection), server: server)
        switch reply {
        case .now(let response):
            phase = .answered
            return unsafe MessageWriter.queue(response, on: connection, id: id, server: server)
        case .stream(let head, let stream, let owner):
            phase = .answered
            return unsafe MessageWriter.queue(head, stream, owner: owner, on: connection, id: id, server: server)
        case .later(let start):
            let answer = PendingAnswer(outstanding: server.outstanding)
            phase = .waiting(answer)
            let suspended = unsafe SuspendedConnection(suspending: connection)
            start(Responder(answer: answer, connection: suspended, requestID: id))
            return true
        }
    }

    private func reply(to method: Method, from remoteAddress: String?, server: HTTPServer.Core) -> Reply {
        guard !body.isTooLarge else { return .now(tooLarge(server)) }
        do {
            let request = Request(
                method: method, target: try Target(rawTarget), headers: headers, body: body.finish(),
                remoteAddress: remoteAddress, id: id)
            return server.respond(request)
        } catch {
            return .now(error.response(instance: id))
        }
    }

    private func tooLarge(_ server: HTTPServer.Core) -> Response {
        Problem(
            .contentTooLarge, code: "body-too-large",
            detail: "The body is larger than \(server.configuration.maximumBodyBytes) bytes."
        ).response(instance: id)
    }
}

extension HeaderFields {
    /// Copies the fields of a request out of libmicrohttpd's memory.
    fileprivate mutating func read(from connection: OpaquePointer) {
        unsafe withUnsafeMutablePointer(to: &self) { fields in
            _ = unsafe MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { context, _, name, nameSize, value, valueSize in
                    guard let fields = unsafe context?.assumingMemoryBound(to: HeaderFields.self) else { return .YES }
                    unsafe fields.pointee.append(
                        name: UnsafeRawBufferPointer(start: name, count: nameSize),
                        value: UnsafeRawBufferPointer(start: value, count: valueSize))
                    return .YES
                }, fields)
        }
    }
}
