import Access
import EventLog
import JSON
import MicroHTTP
import Webhooks

/// The observers as a REST resource (http-api.md, "Observers").
struct ObserverResource: Sendable {
    let webhooks: WebhookRegistry
    let living: LivingObservers
    let directory: ObserverDirectory
    let names: ObserverNames
    let nodes: OtherNodes
    let links: Links
    let gate: Gate
    let httpsOnly: Bool

    func create(_ request: Request, _ inquiry: Inquiry) async throws -> Response {
        try Preconditions.requireUntagged(request)
        let specification = try read(request)
        try request.caller.requireRegistering(specification.topics)
        var webhook = StoredWebhook(specification: specification, replacing: nil, at: webhooks.store.now)
        webhook.register(by: request.caller.principal)
        let saved = try await save(.generate(.webhook), for: request.caller) { [webhook] _ in webhook }
        return await answer(saved, inquiry)
    }

    func replace(_ request: Request, _ inquiry: Inquiry) async throws -> Response {
        let id: ObserverID = try request.parameter("id")
        let conditions = try Preconditions(request)
        // What says something unknown does not wait for its turn.
        _ = try JSONMembers(try request.json(), known: WebhookSpecification.members)
        if directory.find(id) == nil, await nodes.find(id).value != nil { throw Problem.observerKind }
        let saved = try await names.reserving(id) {
            try await save(id, for: request.caller) { present throws(Problem) in
                // Also one that cannot be read is there.
                let stored = webhooks.stored(id)
                // Of what belongs to others nobody learns more than that the id is not to be had.
                if let stored, !request.caller.manages(stored) { throw request.caller.lacks(.manage, on: nil) }
                let tag = stored?.tag
                try conditions.require(tag.map(Preconditions.Present.tagged) ?? .nothing, else: "observer-changed")
                let former = present?.webhook.specification
                let specification = try read(request, replacing: former)
                try requireRegistering(specification, replacing: stored, for: request.caller)
                var webhook = StoredWebhook(
                    specification: specification,
                    replacing: present?.webhook,
                    at: webhooks.store.now
                )
                if present == nil { webhook.register(by: request.caller.principal) }
                return webhook
            }
        }
        return await answer(saved, inquiry)
    }

    func patch(_ request: Request, _ inquiry: Inquiry) async throws -> Response {
        let id = try await webhookID(request)
        let conditions = try Preconditions(request)
        try WebhookSpecification.requireKnown(try request.mergePatch())
        let saved = try await save(id, for: request.caller) { present throws(Problem) in
            guard let present, request.caller.manages(present) else { throw Problem.observerUnknown }
            try conditions.require(.tagged(present.tag), else: "observer-changed")
            let changes = try request.mergePatch()
            let stored = present.webhook.specification
            let restored = try WebhookSpecification.restoring(changes, from: stored)
            let merged = WebhookSpecification.dropping(respelledIn: changes, from: present.webhook.patchable)
                .merging(restored)
            let specification = try WebhookSpecification(merged, httpsOnly: httpsOnly, present: stored.url)
            try requireRegistering(specification, replacing: present, for: request.caller)
            var webhook = StoredWebhook(
                specification: specification,
                replacing: present.webhook,
                at: webhooks.store.now
            )
            // What was disabled stays so until someone means it: by enabling it, or by another URL.
            if changes["enabled"] != true, specification.url == stored.url {
                webhook.disabledReason = present.webhook.disabledReason
            }
            return webhook
        }
        return await answer(saved, inquiry)
    }

    /// Gives a webhook a new secret, its client's own or one that is made; the present one signs for a day more.
    func rotate(_ request: Request, _ inquiry: Inquiry) async throws -> Response {
        let id = try await webhookID(request)
        let conditions = try Preconditions(request)
        let members = try JSONMembers(request.body.isEmpty ? [:] : try request.json(), known: ["secret"])
        // What waits for its turn is a text, and no tree.
        _ = try members.string("secret")
        let saved = try await save(id, for: request.caller) { present throws(Problem) in
            guard let present, request.caller.manages(present) else { throw Problem.observerUnknown }
            try conditions.require(.tagged(present.tag), else: "observer-changed")
            var webhook = present.webhook
            let scheme = webhook.specification.signature
            let given = try WebhookSpecification.secret(members, scheme: scheme)
            webhook.secrets = webhook.secrets.rotated(
                to: given ?? .generate(scheme),
                at: webhooks.store.now.milliseconds
            )
            return webhook
        }
        return await answer(saved, inquiry, showingSecret: true)
    }

    /// What a request registers. Its body is taken apart when that is needed, also a second time: as a tree it takes many times
    /// what its bytes do, and those are what is counted while it waits for its turn.
    private func read(
        _ request: Request,
        replacing former: WebhookSpecification? = nil
    ) throws(Problem) -> WebhookSpecification {
        let restored = try WebhookSpecification.restoring(try request.json(), from: former)
        return try WebhookSpecification(restored, httpsOnly: httpsOnly, present: former?.url)
    }

    /// What waits for a webhook goes to its URL, whatever becomes of its topics: so whoever changes it must be allowed to hear
    /// also those that it had. Also if it keeps its URL, which the next change may be of.
    ///
    /// - Throws: 403 `right-missing`.
    private func requireRegistering(
        _ specification: WebhookSpecification,
        replacing present: (any StoredObserver)?,
        for caller: Caller
    ) throws(Problem) {
        try caller.requireRegistering((present?.topics ?? []) + specification.topics)
    }

    /// Saves a webhook; its endpoint's consent is had before, if it is wanted and not had yet. Asking takes its time, so it
    /// is done between two looks at what is present.
    private func save(
        _ id: ObserverID,
        for caller: Caller,
        _ makeWebhook: (WebhookObserver?) throws(Problem) -> StoredWebhook
    ) async throws -> WebhookRegistry.Saved {
        var consent: StoredWebhook.Consent?
        // More than once only if somebody else changes the URL meanwhile.
        for _ in 0..<3 {
            var undecided: StoredWebhook?
            do {
                return try await webhooks.save(id) { present throws(Problem) in
                    // Not by then, perhaps.
                    try gate.requireInForce(caller, forChange: true)
                    var webhook = try makeWebhook(present)
                    if webhook.needsConsent { webhook.consent = consent }
                    guard webhook.needsConsent else { return webhook }
                    undecided = webhook
                    throw Self.undecided
                }
            } catch {
                guard let webhook = undecided else { throw error }
                consent = try await webhooks.consent(to: webhook, of: id)
            }
        }
        throw Self.undecided
    }

    func read(_ request: Request, _ inquiry: Inquiry) async throws -> Response {
        let id: ObserverID = try request.parameter("id")
        let observer = try await directory.require(id, orAt: nodes, for: request.caller)
        guard let webhook = observer as? any StoredObserver else {
            return try await inquiry.answer { .uncached(try await observer.document()) }
        }
        let stats = try await inquiry.find { [store = webhooks.store] in try await store.deliveryStats(of: id) }
        return try await inquiry.answer {
            var response = Response.uncached(webhook.document(stats))
            response.headers.append(("ETag", webhook.tag.description))
            return response
        }
    }

    func delete(_ request: Request) async throws -> Response {
        let id: ObserverID = try request.parameter("id")
        let conditions = try Preconditions(request)
        let removed = try await webhooks.remove(id) { present throws(Problem) in
            try gate.requireInForce(request.caller, forChange: true)
            guard request.caller.manages(present) else { throw Problem.observerUnknown }
            try conditions.require(.tagged(present.tag), else: "observer-changed")
            return true
        }
        if removed { return Response(.noContent) }
        // More than once only if another stream takes the name meanwhile: that one is to end then.
        for _ in 0..<3 {
            let observer = try await directory.require(id, orAt: nodes, for: request.caller)
            try conditions.require(.untagged, else: "observer-changed")
            if await unregister(observer, for: request.caller) { return Response(.noContent) }
        }
        throw Problem.observerUnknown
    }

    func deleteAll(_ request: Request) async throws -> Response {
        let pattern: TopicPattern = try request.parameter("topic")
        try Preconditions.requireUntagged(request)
        var count = 0
        if request.caller.grant.allowsEverything(.manage) {
            count = try await webhooks.removeAll(of: pattern)
        } else {
            // What is registered for others' topics, too, is theirs as well.
            for case let webhook as any StoredObserver in theirs(request, pattern) {
                let isRemoved = try await webhooks.remove(webhook.id) { present throws(Problem) in
                    // Of many the last go seconds later.
                    try gate.requireInForce(request.caller, forChange: true)
                    return isTheirs(present, request, pattern)
                }
                if isRemoved { count += 1 }
            }
        }
        for observer in theirs(request, pattern) where await unregister(observer, for: request.caller) { count += 1 }
        let elsewhere = await nodes.endAll(of: pattern, for: request.caller.grant)
        let body: [String: JSONValue] = ["unregistered": JSONValue(count + elsewhere.value)]
        return Response(.ok, json: JSONValue.object(body.naming(unreachable: elsewhere.missing)).bytes)
    }

    func list(_ request: Request, _ inquiry: Inquiry) async throws -> Response {
        let page = try ObserverPage(request.target.query)
        let elsewhere = await nodes.observers(page, for: request.caller.grant)
        let (observers, next) = page.select(
            from: page.first(of: directory, where: request.caller.manages) + elsewhere.value.observers,
            upTo: elsewhere.value.horizon
        )
        let stored = observers.filter { $0 is any StoredObserver }.map(\.id)
        let stats = try await inquiry.find { [store = webhooks.store] in
            try await store.deliveryStats(of: stored, within: Self.longestCount)
        }
        return try await inquiry.answer {
            var (documents, size, counted) = ([JSONValue](), 0, stats[...])
            for observer in observers {
                let document: JSONValue
                if let webhook = observer as? any StoredObserver {
                    guard let stats = counted.popFirst() else { break }
                    document = webhook.document(stats)
                } else {
                    document = try await observer.document()
                }
                size += document.roughSize
                if size > ListPage.mostBytes, !documents.isEmpty { break }
                documents.append(document)
            }
            let isCut = documents.count < observers.count
            let last = isCut ? observers[documents.count - 1] : nil
            let body: [String: JSONValue] = [
                "observers": .array(documents), "next": last.map(ObserverPage.cursor(after:)) ?? next,
            ]
            return .uncached(.object(body.naming(unreachable: elsewhere.missing)))
        }
    }

    /// How long is counted what waits for the webhooks of one page. It ends before those for which that was not enough.
    private static let longestCount = Duration.seconds(5)

    /// The observers of exactly that pattern which the caller manages.
    private func theirs(_ request: Request, _ pattern: TopicPattern) -> [any HubObserver] {
        directory.listed(of: pattern).compactMap(\.observer).filter { isTheirs($0, request, pattern) }
    }

    private func isTheirs(_ observer: any HubObserver, _ request: Request, _ pattern: TopicPattern) -> Bool {
        observer.topics.contains(pattern) && request.caller.manages(observer)
    }

    /// Unregisters an observer that lives in one process alone.
    ///
    /// - Returns: false for one that is stored, or gone already.
    private func unregister(_ observer: any HubObserver, for caller: Caller) async -> Bool {
        if let observer = observer as? NodeObserver { return await nodes.end(observer, for: caller.grant) }
        return living.unregister(observer)
    }

    private static var undecided: Problem {
        Problem(
            .preconditionFailed,
            code: "observer-changed",
            detail: "The observer's URL was changed while its endpoint was asked. Try again."
        )
    }

    /// The id of a webhook to be changed; a stream's is its own.
    private func webhookID(_ request: Request) async throws(Problem) -> ObserverID {
        let id: ObserverID = try request.parameter("id")
        // Of others' nobody learns anything, not even the kind.
        let observer = await directory.find(id, orAt: nodes, for: request.caller).value
        guard observer.map({ $0.kind == .webhook }) ?? true else { throw Problem.observerKind }
        guard !(observer is UnreadableWebhook) else { throw Problem.observerUnreadable }
        return id
    }

    /// The answer to a change; with the secret if that is new. It cannot fail: the change stands, and who made it would
    /// never see the secret.
    private func answer(
        _ saved: WebhookRegistry.Saved,
        _ inquiry: Inquiry,
        showingSecret: Bool = false
    ) async -> Response {
        let observer = saved.observer
        let created = saved.replaced == nil
        var stats = saved.tried
        // For one that is new nothing waits. For others it is counted now, when no other change waits for this one.
        if !created {
            let counted = try? await inquiry.find { [store = webhooks.store] in
                try await store.deliveryStats(of: observer.id)
            }
            stats = counted ?? stats
        }
        let replaced = saved.replaced as? WebhookObserver
        let isNew = replaced?.webhook.secrets.current != observer.webhook.secrets.current
        var headers = [("ETag", observer.tag.description), ("Cache-Control", "no-store")]
        if created { headers.append(("Location", links.observer(observer.id))) }
        let document = observer.document(stats, showingSecret: isNew || showingSecret)
        return Response(created ? .created : .ok, json: document.bytes, headers: headers)
    }
}
