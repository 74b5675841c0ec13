import EventLog
import MicroHTTP

extension Router {
    /// Every route of the hub.
    ///
    /// - Throws: ``HubError`` if the folder of the web console cannot be read.
    init(for hub: Hub, configuration: HubConfiguration) throws(HubError) {
        self.init()
        let hosts = KnownHosts(
            listeningOn: configuration.server.host,
            names: configuration.allowedHosts,
            publicURL: configuration.publicURL
        )
        require(hosts.require)
        require(hub.origins.require)
        let sharing = CrossOriginSharing(allowed: configuration.allowedOrigins)
        answerOptions { request, methods in sharing.preflight(request.headers, methods: methods) }
        addPosting(hub)
        addValue(hub)
        addSubscribing(hub)
        addHistory(hub)
        addTopics(hub)
        addObservers(hub, httpsOnly: configuration.webhooks.httpsOnly)
        addDeliveries(hub)
        addService(hub)
        addMetrics(hub)
        addErrors(hub)
        if let folder = configuration.publicFolder { addPublicFiles(try PublicFiles(folder: folder)) }
    }

    /// Adds a route for those who have what it needs.
    mutating func on(
        _ method: Method,
        _ path: String,
        parameters: QueryParameters,
        needs need: Need,
        _ hub: Hub,
        _ handler: @escaping Handler
    ) {
        on(
            method,
            path,
            parameters: parameters,
            admission: { [gate = hub.gate] request, handler throws(Problem) in
                try gate.admit(request, need, to: handler)
            },
            handler
        )
    }

    /// Adds a route whose answer takes time: the connection is suspended, and the handler runs on the concurrency pool.
    mutating func onAsync(
        _ method: Method,
        _ path: String,
        parameters: QueryParameters,
        needs need: Need,
        _ hub: Hub,
        _ handler: @escaping @Sendable (Request) async throws -> Response
    ) {
        on(method, path, parameters: parameters, needs: need, hub) {
            [answers = hub.answers, work = hub.work, logger = hub.logger] request in
            .later { responder in
                work.start {
                    do {
                        // What changes something is done once, and its answer is small.
                        let response =
                            method == .get
                            ? try await answers.make { try await handler(request) } : try await handler(request)
                        responder.respond(response)
                    } catch {
                        responder.respond(Problem(error, request: request, logger: logger))
                    }
                }
            }
        }
    }
}
