import EventLog
import MicroHTTP
import Webhooks

extension Router {
    /// `/observers` and below.
    mutating func addObservers(_ hub: Hub, httpsOnly: Bool) {
        let resource = ObserverResource(
            webhooks: hub.webhooks,
            streams: hub.streams,
            directory: hub.directory,
            httpsOnly: httpsOnly
        )
        onAsync(.get, "/observers", hub) { try await resource.list($0) }
        onAsync(.post, "/observers", hub) { try await resource.create($0) }
        onAsync(.get, "/observers/{id}", hub) { try await resource.read($0) }
        onAsync(.put, "/observers/{id}", hub) { try await resource.replace($0) }
        onAsync(.patch, "/observers/{id}", hub) { try await resource.patch($0) }
        onAsync(.delete, "/observers/{id}", hub) { try await resource.delete($0) }
        onAsync(.delete, "/topics/{topic}/observers", hub) { try await resource.deleteAll($0) }
    }
}

/// The observers as a REST resource (http-api.md, "Observers").
private struct ObserverResource: Sendable {
    let webhooks: WebhookRegistry
    let streams: StreamHost
    let directory: ObserverDirectory
    let httpsOnly: Bool

    func create(_ request: Request) async throws -> Response {
        let specification = try WebhookSpecification(try json(request), httpsOnly: httpsOnly)
        let webhook = StoredWebhook(specification: specification, secret: specification.secret ?? .generate())
        let (observer, _) = try await webhooks.save(.generate(.webhook)) { _ in webhook }
        return try await answer(observer, created: true)
    }

    func replace(_ request: Request) async throws -> Response {
        let id = try webhookID(request)
        let value = try json(request)
        let (observer, created) = try await webhooks.save(id) { present throws(Problem) in
            try EntityTag.require(request, present: present?.etag)
            let restored = try WebhookSpecification.restoring(value, from: present?.webhook.specification)
            let specification = try WebhookSpecification(restored, httpsOnly: httpsOnly)
            // One that is replaced keeps its secret unless a new one is given: receivers go on verifying.
            return StoredWebhook(
                specification: specification,
                secret: specification.secret ?? present?.webhook.secret ?? .generate()
            )
        }
        return try await answer(observer, created: created)
    }

    func patch(_ request: Request) async throws -> Response {
        let id: ObserverID = try request.parameter("id")
        let changes = try json(request)
        let (observer, _) = try await webhooks.save(id) { present throws(Problem) in
            guard let present else { throw Self.unknown }
            try EntityTag.require(request, present: present.etag)
            try WebhookSpecification.requireKnown(changes)
            let restored = try WebhookSpecification.restoring(changes, from: present.webhook.specification)
            let merged = present.webhook.patchable.merging(restored)
            let specification = try WebhookSpecification(merged, httpsOnly: httpsOnly)
            return StoredWebhook(
                specification: specification,
                secret: specification.secret ?? present.webhook.secret,
                // What was disabled stays so until someone means it: by enabling it, or by another URL.
                disabledReason: changes.has("enabled", .bool(true)) || changes.has("url")
                    ? nil : present.webhook.disabledReason
            )
        }
        return try await answer(observer, created: false)
    }

    func read(_ request: Request) async throws -> Response {
        let id: ObserverID = try request.parameter("id")
        guard let observer = directory.find(id) else { throw Self.unknown }
        return try await answer(observer)
    }

    func delete(_ request: Request) async throws -> Response {
        let id: ObserverID = try request.parameter("id")
        let removed = try await webhooks.remove(id) { present throws(Problem) in
            try EntityTag.require(request, present: present.etag)
        }
        if removed { return Response(.noContent) }
        guard let stream = directory.find(id) as? EventStream else { throw Self.unknown }
        streams.unregister(stream)
        return Response(.noContent)
    }

    func deleteAll(_ request: Request) async throws -> Response {
        let pattern: TopicPattern = try request.parameter("topic")
        var count = try await webhooks.removeAll(of: pattern)
        for case let stream as EventStream in directory.all() where stream.topics.contains(pattern) {
            streams.unregister(stream)
            count += 1
        }
        var json = JSONText()
        json.member("unregistered", count)
        return Response(.ok, contentType: "application/json", body: json.object)
    }

    func list(_ request: Request) async throws -> Response {
        let page = try ObserverPage(request.target.query)
        let (observers, next) = page.select(from: directory.all())
        var documents: [JSONValue] = []
        for observer in observers { documents.append(try await observer.document()) }
        let body = JSONValue.object([
            "observers": .array(documents), "next": next.map(JSONValue.string) ?? .null,
        ])
        return Response(
            .ok,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: body.bytes
        )
    }

    private static var unknown: Problem {
        Problem(.notFound, code: "observer-unknown", detail: "There is no such observer. It may have gone.")
    }

    /// The id of a webhook to be; a stream's is its own.
    private func webhookID(_ request: Request) throws(Problem) -> ObserverID {
        let id: ObserverID = try request.parameter("id")
        guard directory.find(id).map({ $0.kind == .webhook }) ?? true else {
            throw Problem.observerKind
        }
        return id
    }

    private func json(_ request: Request) throws(Problem) -> JSONValue {
        if let type = request.headers["Content-Type"], !ContentType.isJSON(type),
            ContentType.essence(type) != "application/x-www-form-urlencoded"
        {
            throw Problem(
                .unsupportedMediaType,
                code: "media-type-unsupported",
                detail: "Send application/json.",
                parameter: "Content-Type"
            )
        }
        guard let value = JSONValue(parsing: request.body) else {
            throw Problem(.badRequest, code: "body-invalid", detail: "The body is not valid JSON.")
        }
        return value
    }

    private func answer(_ observer: WebhookObserver, created: Bool) async throws -> Response {
        var headers = [("Content-Type", "application/json"), ("ETag", observer.etag), ("Cache-Control", "no-store")]
        if created { headers.append(("Location", "/observers/\(observer.id)")) }
        let document = try await observer.document(showingSecret: created)
        return Response(created ? .created : .ok, headers: headers, body: document.bytes)
    }

    private func answer(_ observer: any HubObserver) async throws -> Response {
        var headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        if let webhook = observer as? WebhookObserver { headers.append(("ETag", webhook.etag)) }
        return Response(.ok, headers: headers, body: try await observer.document().bytes)
    }
}
