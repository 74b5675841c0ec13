import CMicroHTTPD
import Glibc

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

    private var rawTarget: [UInt8]
    private let server: HTTPServer.Core
    private var phase = Phase.head
    private var body: BodyBuffer
    private var headers = HeaderFields()
    /// Whether the client takes the chunked transfer coding: it speaks HTTP/1.1.
    private var takesChunks = false
    private var isHead = false
    /// What of the connection's memory the request's head takes, in bytes.
    private var headMemory = 0
    private var id = ""
    /// What the response keeps until this exchange is over.
    private var retained: (any AnyObject & Sendable)?

    init(target: [UInt8], server: HTTPServer.Core) {
        rawTarget = target
        self.server = server
        body = BodyBuffer(limit: server.configuration.maximumBodyBytes)
        server.inFlight.begin()
    }

    deinit {
        server.inFlight.complete()
    }

    /// A turn of the access handler (libmicrohttpd manual, "MHD_AccessHandlerCallback"). Returns false to close the
    /// connection.
    func advance(
        _ connection: OpaquePointer,
        method: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>,
        upload: UnsafeRawBufferPointer
    ) -> Bool {
        switch phase {
        case .head:
            phase = .body
            takesChunks = unsafe strcmp(version, "HTTP/1.1") == 0
            isHead = unsafe strcmp(method, "HEAD") == 0
            return unsafe receiveHead(connection)
        case .body where upload.count > 0:
            return unsafe body.append(upload)
        case .body:
            let reply = unsafe reply(to: Method(String(cString: method)), from: RemoteAddress.text(of: connection))
            return unsafe carryOut(reply, on: connection)
        case .waiting(let answer):
            // Only a responder resumes a suspended request, after it has set the answer.
            guard let reply = answer.take() else { return false }
            return unsafe carryOut(reply, on: connection)
        case .answered:
            return true
        }
    }

    private func receiveHead(_ connection: OpaquePointer) -> Bool {
        unsafe headers.read(from: connection)
        id = headers["Request-Id"].flatMap(RequestID.accept) ?? RequestID.next()
        if let problem = headers.framingProblem {
            var response = problem.response(instance: id)
            // Where the next request begins is not known.
            response.setHeader("Connection", "close")
            return unsafe queue(response, on: connection)
        }
        headMemory = unsafe clarion_mhd_head_size(connection) + headers.bookkeeping
        guard headMemory + Self.responseReserve <= server.configuration.connectionMemory else {
            return unsafe queue(headTooLarge, on: connection)
        }
        let declared = body.declare(
            length: headers["Content-Length"].flatMap { Int($0) },
            awaitsContinue: headers.contains("Expect")
        )
        guard declared == .refuse else { return true }
        return unsafe queue(tooLarge, on: connection)
    }

    private func carryOut(_ reply: Reply, on connection: OpaquePointer) -> Bool {
        switch reply {
        case .now(let response):
            return unsafe queue(response, on: connection)
        case .headOfStream(let head):
            phase = .answered
            return unsafe MessageWriter.queue(headOfStream: head, on: connection, id: id, server: server)
        case .stream(let head, let stream, let owner):
            // Without room for its head, and for chunks after it, libmicrohttpd would close without a word.
            guard headMemory + head.headSize + Self.chunkReserve <= server.configuration.connectionMemory else {
                return unsafe queue(headTooLarge, on: connection)
            }
            guard !isHead else {
                stream.close(inOrder: true)
                return unsafe carryOut(.headOfStream(head), on: connection)
            }
            phase = .answered
            // This lives as long as the stream does, and nobody asks for the request again.
            rawTarget = []
            headers = HeaderFields()
            return unsafe MessageWriter.queue(
                head,
                stream,
                owner: owner,
                on: connection,
                isChunked: takesChunks,
                id: id,
                server: server
            )
        case .later(let start):
            guard let suspended = unsafe SuspendedConnection(suspending: connection, inFlight: server.inFlight) else {
                return unsafe queue(stopping, on: connection)
            }
            let answer = PendingAnswer()
            phase = .waiting(answer)
            start(Responder(answer: answer, connection: suspended, requestID: id))
            return true
        }
    }

    private func reply(to method: Method, from remoteAddress: String?) -> Reply {
        guard !body.isTooLarge else { return .now(tooLarge) }
        do {
            let request = Request(
                method: method,
                target: try Target(bytes: rawTarget),
                headers: headers,
                body: body.finish(),
                remoteAddress: remoteAddress,
                id: id
            )
            return server.respond(request)
        } catch {
            return .now(error.response(instance: id))
        }
    }

    private func queue(_ response: Response, on connection: OpaquePointer) -> Bool {
        phase = .answered
        retained = response.retained
        // Where a head does not fit, libmicrohttpd would close the connection without a word.
        let fits = headMemory + response.headSize <= server.configuration.connectionMemory
        return unsafe MessageWriter.queue(fits ? response : headTooLarge, on: connection, id: id, server: server)
    }

    /// What of the connection's memory is kept for the head of the response. The answer to a post must fit whatever was
    /// posted, for it comes when all is stored: its largest field is `Location`, of at most 850 bytes.
    private static let responseReserve = 1280

    /// The least that libmicrohttpd wants to have for a chunk, beyond the head.
    private static let chunkReserve = 128

    private var headTooLarge: Response {
        var response = Problem(
            .headersTooLarge,
            code: "headers-too-large",
            detail: "The request's header fields, cookies above all, take more than this server's memory for them."
        ).response(instance: id)
        response.setHeader("Connection", "close")
        return response
    }

    private var tooLarge: Response {
        Problem(
            .contentTooLarge,
            code: "body-too-large",
            detail: "The body is larger than \(server.configuration.maximumBodyBytes) bytes."
        ).response(instance: id)
    }

    private var stopping: Response {
        Problem(
            .unavailable,
            code: "draining",
            detail: "The server is stopping.",
            headers: [("Retry-After", "1")]
        ).response(instance: id)
    }
}

extension Response {
    /// The bytes of its head at most: its own fields, and those that every response has.
    fileprivate var headSize: Int { headers.reduce(320) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 } }
}
