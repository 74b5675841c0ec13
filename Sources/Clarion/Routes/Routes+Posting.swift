import EventLog
import MicroHTTP

extension Routes {
    /// `POST /topics/{topic}/events`.
    mutating func addPosting(_ hub: Hub) {
        on(.post, "/topics/{topic}/events", .postEvents, needs: .publish, hub) {
            [weak hub] request throws(Problem) in
            guard let hub, !hub.isDraining else { throw Problem.draining }
            try Preconditions.requireUntagged(request)
            return try hub.store(try Post(request), for: request) { [links = hub.links] receipt, isBatch in
                isBatch ? .batch(receipt) : .receipt(receipt, links)
            }
        }
    }
}

extension Hub {
    /// Stores a post and answers once it is committed.
    ///
    /// - Parameter answer: makes the answer, later and on a server thread, of the receipt and of whether it was a batch.
    /// - Throws: 422 `info-mismatch`.
    func store(
        _ post: Post,
        if condition: AppendCondition? = nil,
        for request: Request,
        _ answer: @escaping @Sendable (AppendReceipt, Bool) -> Response
    ) throws(Problem) -> Reply {
        var post = post
        try post.admit(by: bindings)
        let (drafts, isBatch, id) = (post.drafts, post.isBatch, request.id)
        // An empty batch is legal, and stores nothing.
        guard !drafts.isEmpty else { return .now(answer(AppendReceipt(events: [], isReplay: true), isBatch)) }
        return .later { [log, logger, metrics, post] responder in
            log.append(drafts, if: condition) { result in
                let outcome = PostResult(result)
                // What is refused is counted with its answer, also where the log was not asked.
                if outcome != .refused { metrics.posts.count(outcome) }
                switch result {
                case .success(let receipt): responder.respond(answer(receipt, isBatch))
                case .failure(let error):
                    responder.respond(post.refusal(error, if: condition, requestID: id, logger: logger))
                }
            }
        }
    }
}

extension Response {
    /// The acknowledgement of one event: the same each time that it is posted under one key.
    static func receipt(_ receipt: AppendReceipt, _ links: Links) -> Response {
        let event = receipt.events[0]
        var response = Response(
            .created,
            json: EventDocument.receipt(event),
            headers: [("Location", links.event(event))]
        )
        if receipt.isReplay { response.markAsReplay() }
        return response
    }

    /// The acknowledgement of several.
    fileprivate static func batch(_ receipt: AppendReceipt) -> Response {
        var response = Response(.created, json: EventDocument.receipt(receipt.events))
        if receipt.events.isEmpty { response.status = .ok } else if receipt.isReplay { response.markAsReplay() }
        return response
    }

    /// Nothing was stored: it had been before.
    private mutating func markAsReplay() {
        status = .ok
        headers.append(("Idempotent-Replayed", "true"))
    }
}
