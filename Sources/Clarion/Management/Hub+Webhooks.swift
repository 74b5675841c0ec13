import MicroHTTP

/// Webhooks, managed by the program.
extension Hub {
    /// Registers a webhook, or replaces the settings of the one of that name.
    ///
    /// ```swift
    /// let settings = WebhookSettings(url: "https://shop.example/hook", topics: ["orders.*"])
    /// let webhook = try await hub.register(settings, as: "billing")
    /// if let secret = webhook.secret { keep(secret) }
    /// ```
    ///
    /// - Parameters:
    ///   - settings: what it is to be.
    ///   - id: a name of the program's own, so that it may do the same at every start; nil makes a new webhook with an id of
    ///     the hub's.
    /// - Throws: ``HubError`` with the code that HTTP clients get, such as `url-invalid`, and the pointer of what is to blame.
    @discardableResult
    public func register(_ settings: WebhookSettings, as id: String? = nil) async throws(HubError) -> RegisteredWebhook
    {
        guard let id else { return try await request(RegisteredWebhook.self, "POST", "/observers", body: settings) }
        return try await request(RegisteredWebhook.self, "PUT", try path(of: id), body: settings)
    }

    /// The webhook of an id.
    ///
    /// - Throws: ``HubError`` with code `observer-id-invalid`, `observer-unknown`, or `observer-kind` for a stream or an
    ///   object.
    public func webhook(_ id: String) async throws(HubError) -> RegisteredWebhook {
        if let id = try? ObserverID(id), await find(id)?.kind ?? .webhook != .webhook {
            throw HubError(code: "observer-kind", message: Problem.observerKindDetail)
        }
        return try await request(RegisteredWebhook.self, "GET", try path(of: id))
    }

    /// Unregisters an observer of any kind.
    ///
    /// - Throws: ``HubError`` with code `observer-id-invalid` or `observer-unknown`.
    public func unregister(_ id: String) async throws(HubError) {
        try await request("DELETE", try path(of: id))
    }

    private func find(_ id: ObserverID) async -> (any HubObserver)? {
        if let observer = directory.find(id) { return observer }
        return await nodes.find(id).value
    }

    /// - Throws: `observer-id-invalid`: an empty one would be the path of all observers.
    private func path(of id: String) throws(HubError) -> String {
        do throws(Problem) {
            return "/observers/\(try ObserverID(id))"
        } catch {
            throw HubError(error)
        }
    }
}
