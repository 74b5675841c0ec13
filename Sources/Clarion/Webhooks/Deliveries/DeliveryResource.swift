import Access
import EventLog
import JSON
import MicroHTTP
import Notation
import Webhooks

/// The deliveries of a webhook as a REST resource (docs/http-api.md, "Deliveries").
struct DeliveryResource: Sendable {
    let log: any EventLog & DeliveryLog
    let webhooks: WebhookRegistry
    let directory: ObserverDirectory
    let nodes: OtherNodes
    let gate: Gate

    func list(_ request: Request, _ inquiry: Inquiry) async throws -> Response {
        let observer = try await webhook(request)
        let query = request.target.query
        let page = try ListPage(query)
        let state = try query["state"].map { text throws(Problem) in
            guard let state = DeliveryState(rawValue: text) else {
                let names = DeliveryState.allCases.map(\.rawValue).joined(separator: ", ")
                throw ListPage.problem("state", "is one of \(names)")
            }
            return state
        }
        let before = try page.after.map { text throws(Problem) in
            guard let number = Int(digits: text.utf8), number > 0 else { throw ListPage.cursorProblem }
            return Position(Int64(number))
        }
        // One more than asked for tells whether there is more.
        let found = try await inquiry.find { [log] in
            try await log.deliveries(
                of: observer.id,
                in: state,
                before: before ?? Position(.max),
                limit: page.limit + 1
            )
        }
        let (deliveries, next) = page.cut(found) { $0.event.position.description }
        let shown = deliveries.filter { isOpen($0.topic, to: observer, for: request.caller) }
        return try await inquiry.answer {
            .uncached(["deliveries": .array(shown.map { .object(DeliveryDocument.members($0)) }), "next": next])
        }
    }

    func read(_ request: Request, _ inquiry: Inquiry) async throws -> Response {
        let observer = try await webhook(request)
        let event = try await event(request)
        return try await inquiry.answer {
            .uncached(try await document(of: event, to: observer, for: request.caller))
        }
    }

    func redeliver(_ request: Request) async throws -> Response {
        let observer = try await webhook(request)
        try Preconditions.requireUntagged(request)
        try requireNoMembers(request)
        guard let event = try await event(request), try await isOpen(event, to: observer, for: request.caller),
            try await webhooks.redeliver(event, to: observer, while: stillManaged(by: request.caller))
        else {
            throw Problem(.notFound, code: "event-unknown", detail: "The log has no such event, or not any more.")
        }
        return .uncached(try await document(of: event, to: observer, for: request.caller), status: .accepted)
    }

    func recover(_ request: Request, _ inquiry: Inquiry) async throws -> Response {
        let observer = try await webhook(request)
        try Preconditions.requireUntagged(request)
        let (start, caller) = (try await start(request, for: observer), request.caller)
        let count = try await inquiry.find {
            try await webhooks.recover(observer, after: start, for: caller, while: stillManaged(by: caller)) {
                isOpen($1, to: $0, for: caller)
            }
        }
        return .uncached(["recovered": JSONValue(count)], status: .accepted)
    }

    func replay(_ request: Request, _ inquiry: Inquiry) async throws -> Response {
        let observer = try await webhook(request)
        try Preconditions.requireUntagged(request)
        let (start, caller) = (try await start(request, for: observer), request.caller)
        let count = try await inquiry.find {
            try await webhooks.replay(observer, after: start, for: caller, while: stillManaged(by: caller))
        }
        return .uncached(["replayed": JSONValue(count)], status: .accepted)
    }

    func test(_ request: Request) async throws -> Response {
        let observer = try await webhook(request)
        try Preconditions.requireUntagged(request)
        try requireNoMembers(request)
        let (event, outcome) = try await webhooks.test(observer)
        return .uncached(DeliveryDocument.test(event, outcome))
    }

    /// What has waited is asked for again before each step, as it were: by then the credential may be over, or the webhook
    /// another's.
    ///
    /// - Returns: what throws `credential-invalid` or `observer-unknown`.
    private func stillManaged(by caller: Caller) -> WebhookRegistry.RedeliveryCheck {
        { [gate] observer throws(Problem) in
            try gate.requireInForce(caller, forChange: true)
            guard caller.manages(observer) else { throw .observerUnknown }
        }
    }

    /// - Throws: `observer-unknown`, `observer-unreadable`, or `observer-kind` if it has no deliveries.
    private func webhook(_ request: Request) async throws -> WebhookObserver {
        let id: ObserverID = try request.parameter("id")
        return try await webhooks.withNews(of: id) {
            if let webhook = webhooks.find(id), request.caller.manages(webhook) { return webhook }
            let observer = try await directory.require(id, orAt: nodes, for: request.caller)
            throw observer is UnreadableWebhook ? Problem.observerUnreadable : Problem.observerKind
        }
    }

    /// The event that the path names; nil if this log has none of that id.
    private func event(_ request: Request) async throws -> EventID? {
        let text: String = try request.parameter("event")
        guard let id = EventID(text), id.epoch == log.epoch, try await log.hasReached(id.position) else { return nil }
        return id
    }

    /// Whether an event may go to a webhook at somebody's word, and its delivery be shown to them: it hears the topic, or they
    /// may. It may have heard others once, that were not theirs.
    private func isOpen(_ id: EventID, to observer: WebhookObserver, for caller: Caller) async throws -> Bool {
        if caller.grant.allowsEverything(.subscribe) { return true }
        guard let topic = try await log.event(id)?.topic else { return false }
        return isOpen(topic, to: observer, for: caller)
    }

    private func isOpen(_ topic: Topic, to observer: WebhookObserver, for caller: Caller) -> Bool {
        observer.topics.contains { $0.matches(topic) } || caller.grant.allows(.subscribe, on: topic)
    }

    private func document(
        of event: EventID?,
        to observer: WebhookObserver,
        for caller: Caller
    ) async throws -> JSONValue {
        guard let event, let found = try await log.delivery(of: event.position, to: observer.id),
            isOpen(found.summary.topic, to: observer, for: caller)
        else {
            throw Problem(
                .notFound,
                code: "delivery-unknown",
                detail: "There is no delivery of such an event to this observer, or not any more."
            )
        }
        var members = DeliveryDocument.members(found.summary)
        members["attemptLog"] = .array(found.attempts.map(DeliveryDocument.attempt))
        return .object(members)
    }

    private func start(_ request: Request, for observer: WebhookObserver) async throws -> Position {
        let start = try RedeliveryStart(try request.json(), now: log.timeOfDay)
        return try await start.position(in: log, for: observer.topics)
    }

    /// A body is not needed; one that says something would go unheard.
    private func requireNoMembers(_ request: Request) throws(Problem) {
        guard !request.body.isEmpty else { return }
        _ = try JSONMembers(try request.json(), known: [])
    }
}
