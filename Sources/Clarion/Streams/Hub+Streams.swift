import Access
import EventLog
import MicroHTTP

extension Hub {
    /// Answers with a stream, once it has its name and is known to begin somewhere.
    func openStream(
        of topics: [TopicPattern],
        for request: Request,
        _ name: ObserverID?,
        _ envelope: EventEnvelope
    ) throws(Problem) -> Reply {
        let wish = StreamWish(
            name: name,
            topics: topics,
            types: try EventTypes(request.target.query["type"]),
            format: envelope,
            remoteAddress: request.remoteAddress,
            address: ClientAddress(request),
            caller: request.caller
        )
        // Taking a name ends the stream that has it.
        if wish.name != nil, request.method != .head {
            let isByCookie = wish.caller.principal != nil && ShownCredential.isCookie(in: request)
            try origins.requireAlways(request, isByCookie: isByCookie)
        }
        try gate.requireInForce(wish.caller)
        let beginning = try StreamBeginning(request, now: log.timeOfDay)
        guard !isDraining else { throw Problem.draining }
        let isHead = request.method == .head
        if wish.name == nil || nodes.exchange == nil, let start = beginning.start(in: log) {
            return try open(wish, start, isHead)
        }
        return .later { [weak self] responder in
            self?.work.start(for: responder) { [weak self] in
                guard let self else { return }
                do {
                    let (answer, wish) = await nodes.answer(for: wish)
                    if let response = try response(to: answer, for: wish) { return responder.respond(response) }
                    let start = try await responder.whileWanted { [log] in
                        if let start = beginning.start(in: log) { return start }
                        return try await beginning.find(in: log, topics: topics, types: wish.types)
                    }
                    responder.reply { [weak self] in
                        do throws(Problem) {
                            guard let self else { throw Problem.draining }
                            return try open(wish, start, isHead)
                        } catch {
                            return .now(error.response(instance: request.id))
                        }
                    }
                } catch {
                    responder.respond(Problem(error, request: request, faults: faults))
                }
            }
        }
    }

    /// Opens a stream, on a server thread.
    ///
    /// - Parameter isHead: whether only the head is wanted, which changes nothing and takes nobody's name.
    private func open(_ wish: StreamWish, _ start: StreamStart, _ isHead: Bool) throws(Problem) -> Reply {
        guard !isHead else {
            let answer = wish.name.map { names.answer(for: $0, to: wish.caller) } ?? .granted
            if let response = try response(to: answer, for: wish) { return .now(response) }
            let after = EventID(epoch: log.epoch, position: start.position(tail: log.tail))
            return .headOfStream(Response(.ok, headers: Self.streamHeaders(wish.name ?? .generate(.stream), after)))
        }
        switch streams.open(wish, start: start) {
        case .open(let stream, let after):
            expiry?.watch(stream)
            if wish.name != nil { nodes.take(stream.id, for: wish.caller, since: stream.namedAt) }
            let head = Response(.ok, headers: Self.streamHeaders(stream.id, after), body: ServerSentEvent.prelude)
            return .stream(head, stream.outlet, owner: stream)
        case .refused(let answer): return .now(try response(to: answer, for: wish) ?? Response(.noContent))
        case .full:
            throw Problem(
                .unavailable,
                code: "overloaded",
                detail: "As many streams are open as there may be. Try again later.",
                headers: [("Retry-After", "5")]
            )
        case .clientIsFull:
            throw Problem(
                .tooManyRequests,
                code: "rate-limited",
                detail: "As many streams are open from here as one client may have. Close some, or try again later.",
                headers: [("Retry-After", "5")]
            )
        }
    }

    /// What a client is told whose stream may not have its name; nil if it may.
    private func response(to answer: ObserverNames.Answer, for wish: StreamWish) throws(Problem) -> Response? {
        switch answer {
        case .granted: nil
        case .retired: Response(.noContent)
        case .taken: throw Problem.observerKind
        case .foreign: throw wish.caller.lacks(.manage, on: nil)
        }
    }

    private static func streamHeaders(_ id: ObserverID, _ after: EventID) -> [(name: String, value: String)] {
        [
            ("Content-Type", "text/event-stream; charset=utf-8"),
            ("Cache-Control", "no-store"),
            ("X-Accel-Buffering", "no"),
            ("Clarion-Observer-Id", id.description),
            ("Clarion-Last-Event-Id", after.description),
        ]
    }
}
