import CMicroHTTPD
import Glibc
import Posix

/// One request on its way through libmicrohttpd's callbacks: head, then body piece by piece, then the answer.
///
/// Only the connection's loop touches it; what other threads need is in ``PendingAnswer``.
final class Exchange {
    private enum Phase {
        case head
        case body
        /// The answer may be there when libmicrohttpd asks again, in this turn of the loop or the next.
        case waiting(PendingAnswer)
        case suspended(PendingAnswer)
        case answered
        /// The answer was sent in libmicrohttpd's place; the rest of the body is read and thrown away.
        case refused
    }

    private var rawTarget: [UInt8]
    /// Where it stood in libmicrohttpd's memory, and how long it was.
    private let targetPlace: (start: UInt, count: Int)
    private let loop: EventLoop
    private var server: HTTPServer.Core { loop.core }
    /// The connection, which owns this.
    private unowned let owner: Connection
    private var phase = Phase.head
    private var body: BodyBuffer
    private var headers = HeaderFields()
    /// Whether the client takes the chunked transfer coding: it speaks HTTP/1.1.
    private var takesChunks = false
    private var isHead = false
    /// Whether the body comes in chunks, of which libmicrohttpd 0.9.75 takes a bare line feed for a line break. Not all
    /// of their heads can be seen, so no second request is taken after such a body: see ``RequestHead``.
    private(set) var isChunked = false
    /// What of the connection's memory the request's head takes, in bytes.
    private var headMemory = 0
    private var id = ""
    /// Nil until the head was read.
    private var method: Method?
    /// Nil until the whole request was there.
    private var record: RequestRecord?
    /// When that was, in nanoseconds of the monotonic clock.
    private var began: Int = 0
    /// What every answer to the request has.
    private var commonFields: [(name: String, value: String)] = []
    /// The room in memory that the answer takes until this exchange is over.
    private var retained: MemoryHold?
    /// How fast the body is sent, or the answer is read, and how much it was when that was last looked at; nil before the
    /// first look.
    private var progress: (pace: ReadingPace, bytes: Int)?

    /// How many header fields of the server's own come before the client's.
    private let ownFields: Int

    init(target: UnsafeRawBufferPointer, ownFields: Int, owner: Connection, loop: EventLoop) {
        rawTarget = unsafe Array(target)
        targetPlace = (UInt(bitPattern: target.baseAddress), target.count)
        self.ownFields = ownFields
        self.owner = owner
        self.loop = loop
        body = BodyBuffer(limit: loop.core.configuration.maximumBodyBytes, memory: loop.core.bodies)
        loop.core.inFlight.begin()
    }

    deinit {
        if case .waiting(let answer) = phase {
            answer.abandon()
            server.inFlight.leave()
        }
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
        loop.calls += 1
        switch phase {
        case .head:
            phase = .body
            owner.enter(.body)
            return unsafe receiveHead(RequestHead(method: method, version: version), connection)
        case .body where upload.count > 0:
            owner.receive(upload.count, isChunk: isChunked)
            if isChunked, unsafe upload.followsBareLineFeed {
                let problem = Problem.framing("A chunk's head ends with a bare line feed.", "Transfer-Encoding")
                refuseInBody(problem)
                return false
            }
            return unsafe proceed(body.append(upload))
        case .refused:
            owner.receive(upload.count, isChunk: isChunked)
            return unsafe upload.count > 0 && proceed(body.append(upload))
        case .body:
            return unsafe carryOut(reply(), on: connection)
        case .waiting(let answer): return unsafe carryOut(answer, on: connection)
        case .suspended(let answer):
            // Only a responder resumes a suspended request, after it has set the answer.
            guard let reply = answer.take() else { return false }
            _ = unsafe clarion_mhd_set_timeout(connection, UInt32(server.configuration.idleSeconds))
            return unsafe carryOut(reply, on: connection)
        case .answered:
            return true
        }
    }

    private func receiveHead(_ head: RequestHead, _ connection: OpaquePointer) -> Bool {
        takesChunks = head.isHTTP11
        owner.consume(unsafe clarion_mhd_head_size(connection))
        isHead = head.isHead
        method = head.parsedMethod
        let isInPlace = unsafe head.read(from: connection, skipping: ownFields, target: targetPlace, into: &headers)
        id = headers["Request-Id"].flatMap(RequestID.accept) ?? RequestID.next()
        commonFields = server.fields(headers)
        headMemory =
            unsafe clarion_mhd_head_size(connection) + headers.bookkeeping
            + Response(.ok, headers: commonFields).fieldsSize
        guard isInPlace, head.hasMethod else {
            return unsafe refuse(.ambiguousHead, connection)
        }
        guard rawTarget.allSatisfy(\.mayStandInTarget) else { return unsafe refuse(Target.unknownForm, connection) }
        if let problem = headers.problem(isHTTP11: takesChunks) { return unsafe refuse(problem, connection) }
        isChunked = RequestHead.isParsedInPlace && headers.contains("Transfer-Encoding")
        if isChunked { owner.beginChunks() }
        guard headMemory + responseReserve <= server.configuration.connectionMemory else {
            return refuseLargeHead()
        }
        let step = body.declare(
            // Libmicrohttpd has taken it for a number, of 64 bits without a sign.
            length: headers["Content-Length"].map { Int($0) ?? .max },
            awaitsContinue: headers.contains("Expect")
        )
        guard step == .refuse, let problem = bodyProblem else { return proceed(step) }
        return unsafe queue(problem.response(instance: id), on: connection)
    }

    /// Goes on with the body. Returns false to close the connection.
    private func proceed(_ step: BodyBuffer.Step) -> Bool {
        if step == .refuseReading, let problem = bodyProblem {
            refuseInBody(problem)
            phase = .refused
        }
        return step != .cut
    }

    /// Libmicrohttpd takes no response in the middle of a body.
    private func refuseInBody(_ problem: Problem) {
        Refusal.send(problem, to: owner, readsAway: false, fields: commonFields, id: id, loop: loop)
        tell(problem.status, problem)
    }

    /// Refuses what may be read otherwise by others: where the next request begins is not known.
    private func refuse(_ problem: Problem, _ connection: OpaquePointer) -> Bool {
        var response = problem.response(instance: id)
        response.setHeader("Connection", "close")
        return unsafe queue(response, on: connection)
    }

    private func carryOut(_ reply: Reply, on connection: OpaquePointer) -> Bool {
        switch reply {
        case .now(let response):
            return unsafe queue(response, on: connection)
        case .headOfStream(let head):
            phase = .answered
            tell(head.status)
            return unsafe writer(connection).queue(headOfStream: completed(head))
        case .stream(let head, let stream, let owner):
            // Without room for its head, and for chunks after it, libmicrohttpd would close without a word.
            guard headMemory + head.headSize + Self.chunkReserve <= server.configuration.connectionMemory else {
                // Who writes it has begun, and would wait for ever for somebody who reads.
                stream.close(inOrder: false)
                return refuseLargeHead()
            }
            guard !isHead else {
                stream.close(inOrder: true)
                return unsafe carryOut(.headOfStream(head), on: connection)
            }
            phase = .answered
            tell(head.status)
            // This may live as long as the stream does, and nobody asks for the request again.
            record = nil
            let asksToClose = headers.asksToClose
            rawTarget = []
            headers = HeaderFields()
            defer { commonFields = [] }
            let head = completed(head)
            let handover = unsafe StreamHandover(
                prelude: head.body,
                connection: connection,
                of: self.owner,
                stream: stream,
                owner: owner,
                loop: loop,
                isChunked: takesChunks,
                // After a body in chunks no other request is taken.
                isKept: takesChunks && !isChunked && !asksToClose
            )
            return unsafe writer(connection).queue(head, handover)
        case .later(let start):
            guard server.inFlight.enter() else {
                return unsafe queue(Problem.stopping.response(instance: id), on: connection)
            }
            let answer = PendingAnswer()
            // Over TLS only the loop's thread can send one.
            let client = WaitingClient(socket: owner.socket, takesInterim: takesChunks && owner.session == nil)
            let responder = Responder(answer: answer, for: .client(client), requestID: id)
            phase = .waiting(answer)
            // Libmicrohttpd asks again and again for an answer that is not there.
            guard loop.begin({ start(responder) }) else { return true }
            return unsafe carryOut(answer, on: connection)
        }
    }

    /// Queues an answer that is there by now; for one that is not, the connection is suspended.
    private func carryOut(_ answer: PendingAnswer, on connection: OpaquePointer) -> Bool {
        if let reply = answer.take() {
            phase = .body
            server.inFlight.leave()
            return unsafe carryOut(reply, on: connection)
        }
        // A timeout of its own puts it on the list that the daemon walks before it looks at what is ready. Otherwise
        // 0.9.75, when the connection is resumed, first reads on: a client that has closed its half by then (`nc -N`)
        // would get no answer.
        _ = unsafe clarion_mhd_set_timeout(connection, UInt32(server.configuration.idleSeconds + 1))
        phase = .suspended(answer)
        let suspended = unsafe SuspendedConnection(suspending: connection, of: loop)
        // The answer may have come just now.
        if !answer.wait(suspended) { suspended.resume() }
        return true
    }

    private func reply() -> Reply {
        owner.enter(.answer)
        began = SystemClock.monotonic.nanoseconds
        if let problem = bodyProblem { return .now(problem.response(instance: id)) }
        do {
            // Asterisk-form is for OPTIONS alone (RFC 9112 section 3.2.4).
            let isAsterisk = rawTarget == [UInt8(ascii: "*")]
            let method = method ?? .get
            let body = body.finish()
            let request = Request(
                method: method,
                target: try Target(bytes: isAsterisk && method != .options ? [] : rawTarget),
                headers: headers,
                body: body.bytes,
                room: body.room,
                remoteAddress: owner.remoteAddress,
                forwardedScheme: owner.session == nil ? nil : "https",
                id: id
            )
            record = request.record
            return server.respond(request)
        } catch {
            return .now(error.response(instance: id))
        }
    }

    /// Whether a client that sends next to nothing of its body, or takes next to nothing of its answer, holds memory that
    /// others wait for. The rule is that of streams: see ``StreamSlot/keepsOthersWaiting(now:)``.
    func keepsOthersWaiting(now: Int) -> Bool {
        switch phase {
        case .body where body.bytes.count >= StreamSlot.muchMemory:
            return isTooSlow(owner.standing.received, now: now) && server.bodies.isShort(now: now)
        case .answered:
            guard let retained, retained.bytes >= StreamSlot.muchMemory else { return false }
            // What lies in the kernel's buffers was written, and may never be read.
            let acknowledged = ConnectionPeer(of: owner.socket).acknowledged
            return isTooSlow(acknowledged, now: now) && server.streams.memory.isShort
        default: return false
        }
    }

    private func isTooSlow(_ bytes: Int, now: Int) -> Bool {
        var (pace, before) = progress ?? (ReadingPace(now: now), bytes)
        pace.took(bytes - before)
        let isTooSlow = pace.isTooSlow(now: now)
        progress = (pace, bytes)
        return isTooSlow
    }

    /// The response with what every answer has.
    private func completed(_ response: Response) -> Response {
        var response = response
        // As a rule there are none, and the array is not copied for them.
        if !commonFields.isEmpty { response.headers += commonFields }
        response.leadProblem(below: server.configuration.publicURL)
        return response
    }

    private func queue(_ response: Response, on connection: OpaquePointer) -> Bool {
        phase = .answered
        owner.enter(.answer)
        (retained, progress) = (response.retained, nil)
        guard headMemory + response.headSize <= server.configuration.connectionMemory else { return refuseLargeHead() }
        tell(response.status, response.problem?.problem)
        return unsafe writer(connection).queue(completed(response))
    }

    private func writer(_ connection: OpaquePointer) -> MessageWriter {
        unsafe MessageWriter(connection, closes: isChunked, id: id, server: server)
    }

    /// Refuses a head that leaves no room for that of an answer. Libmicrohttpd has no room for this one either, and would
    /// close the connection without a word, so it goes to the socket. Returns what closes the connection.
    private func refuseLargeHead() -> Bool {
        Refusal.send(.largeHead, to: owner, hasBody: !isHead, id: id, loop: loop)
        tell(Problem.largeHead.status, .largeHead)
        return false
    }

    /// Tells that the request is answered.
    private func tell(_ status: Status, _ problem: Problem? = nil) {
        server.served(
            ServedRequest(
                id: id,
                method: method,
                status: status,
                problem: problem?.code,
                duration: record == nil ? 0 : Int64(SystemClock.monotonic.nanoseconds - began),
                record: record
            )
        )
    }

    /// Why the body is not kept; nil if it is.
    private var bodyProblem: Problem? {
        body.fault.map { Problem.of($0, limit: server.configuration.maximumBodyBytes) }
    }

    /// What of the connection's memory is kept for the head of the response. The answer to a post must fit whatever was
    /// posted, for it comes when all is stored: its largest field is `Location`, of at most 850 bytes and the public URL.
    private var responseReserve: Int { 1248 + server.configuration.publicURL.utf8.count }

    /// The least that libmicrohttpd wants to have for a chunk, beyond the head.
    private static let chunkReserve = 128
}

extension UnsafeRawBufferPointer {
    /// Whether a part of a chunked body lies right behind a line feed without its carriage return. What lies before it in
    /// libmicrohttpd's memory is the head of the chunk, or what was read earlier: never less than the request's head.
    fileprivate var followsBareLineFeed: Bool {
        guard let start = baseAddress else { return false }
        return unsafe (start - 1).load(as: UInt8.self) == 0x0A && (start - 2).load(as: UInt8.self) != 0x0D
    }
}
