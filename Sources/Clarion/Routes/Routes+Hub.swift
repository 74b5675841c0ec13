import EventLog
import MicroHTTP

extension Routes {
    /// Every route of the hub.
    ///
    /// - Throws: ``HubError`` if the folder of the web console cannot be read.
    init(for hub: Hub, configuration: HubConfiguration) throws(HubError) {
        self.init(of: hub)
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
        addErrors()
        if let folder = configuration.publicFolder { addPublicFiles(try PublicFiles(folder: folder)) }
        try add(configuration.routes)
        addDescription(publicURL: configuration.publicURL)
    }
}
