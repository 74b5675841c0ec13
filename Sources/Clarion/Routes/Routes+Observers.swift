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
        onInquiry(.get, "/observers/{id}", .readObserver, needs: .manageSomewhere, resource.read)
        onInquiry(.put, "/observers/{id}", .replaceObserver, needs: .manageSomewhere, resource.replace)
        onInquiry(.patch, "/observers/{id}", .changeObserver, needs: .manageSomewhere, resource.patch)
        onInquiry(.post, "/observers/{id}/secret/rotate", .rotateSecret, needs: .manageSomewhere, resource.rotate)
        onAsync(.delete, "/observers/{id}", .deleteObserver, needs: .manageSomewhere, resource.delete)
        onAsync(.delete, "/topics/{topic}/observers", .deleteObservers, needs: .manage, resource.deleteAll)
    }
}
