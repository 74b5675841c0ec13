import EventLog
import MicroHTTP
import Webhooks

extension Routes {
    /// `POST /topics/{topic}/events`.
    mutating func addPosting(_ hub: Hub) {
        let post: Router.Handler = { [weak hub] request throws(Problem) in
            guard let hub, !hub.isDraining else { throw Problem.draining }
            try Preconditions.requireUntagged(request)
            return try hub.store(request, Post.init) { [links = hub.links] receipt, isBatch in
                isBatch ? .batch(receipt) : .receipt(receipt, links)
            }
        }
        on(.post, "/topics/{topic}/events", .postEvents, needs: .publish, aside(post))
    }
}

extension Hub {
    /// Stores what a request posts and answers once it is committed.
    ///
    /// - Parameters:
    ///   - read: takes the request apart.
    ///   - answer: makes the answer, later and on a server thread, of the receipt and of whether it was a batch.
    /// - Throws: what `read` does; 422 `info-mismatch`.
    func store(
        _ request: Request,
        if condition: AppendCondition? = nil,
        _ read: (Request, Traceparent?) throws(Problem) -> Post,
        _ answer: @escaping @Sendable (AppendReceipt, Bool) -> Response
    ) throws(Problem) -> Reply {
        let trace = PostTrace(request, tracer: tracer)
        var post: Post
        do throws(Problem) {
            post = try read(request, trace.traceparent)
            try post.admit(by: bindings)
        } catch {
            trace.end(.refused)
            throw error
        }
        let (drafts, isBatch, id) = (post.drafts, post.isBatch, request.id)
        // An empty batch is legal, and stores nothing.
        guard !drafts.isEmpty else {
            trace.end(.replayed)
            return .now(answer(AppendReceipt(events: [], isReplay: true), isBatch))
        }
        return .later { [log, faults, metrics, post] responder in
            log.append(drafts, if: condition) { result in
                let outcome = PostResult(result)
                // What is refused is counted with its answer, also where the log was not asked.
                if outcome != .refused { metrics.posts.count(outcome) }
                trace.end(outcome)
                switch result {
                case .success(let receipt): responder.respond(answer(receipt, isBatch))
                case .failure(let error):
                    responder.respond(post.refusal(error, if: condition, requestID: id, faults: faults))
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
