import MicroHTTP

extension Routes {
    /// `/observers` and below.
    mutating func addObservers(_ hub: Hub, httpsOnly: Bool) {
        let resource = ObserverResource(
            webhooks: hub.webhooks,
            living: hub.living,
            directory: hub.directory,
            names: hub.names,
            nodes: hub.nodes,
            links: hub.links,
            gate: hub.gate,
            httpsOnly: httpsOnly
        )
        onInquiry(.get, "/observers", .listObservers, needs: .manageSomewhere, resource.list)
        onInquiry(.post, "/observers", .createObserver, needs: .manageSomewhere, resource.create)
        let (webhooks, need) = (hub.webhooks, Need.manageSomewhere)
        onInquiry(.get, "/observers/{id}", .readObserver, needs: need, webhooks.withNews(resource.read))
        onInquiry(.put, "/observers/{id}", .replaceObserver, needs: need, webhooks.withNews(resource.replace))
        onInquiry(.patch, "/observers/{id}", .changeObserver, needs: need, webhooks.withNews(resource.patch))
        let secret = "/observers/{id}/secret/rotate"
        onInquiry(.post, secret, .rotateSecret, needs: need, webhooks.withNews(resource.rotate))
        onAsync(.delete, "/observers/{id}", .deleteObserver, needs: need, webhooks.withNews(resource.delete))
        onAsync(.delete, "/topics/{topic}/observers", .deleteObservers, needs: .manage, resource.deleteAll)
    }
}
