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
        let webhooks = hub.webhooks
        onInquiry(.put, "/observers/{id}", .replaceObserver, needs: .manageSomewhere) { request, inquiry in
            try await webhooks.withNews(of: request.parameter("id")) { try await resource.replace(request, inquiry) }
        }
        onInquiry(.patch, "/observers/{id}", .changeObserver, needs: .manageSomewhere) { request, inquiry in
            try await webhooks.withNews(of: request.parameter("id")) { try await resource.patch(request, inquiry) }
        }
        onInquiry(.post, "/observers/{id}/secret/rotate", .rotateSecret, needs: .manageSomewhere) { request, inquiry in
            try await webhooks.withNews(of: request.parameter("id")) { try await resource.rotate(request, inquiry) }
        }
        onAsync(.delete, "/observers/{id}", .deleteObserver, needs: .manageSomewhere) { request in
            try await webhooks.withNews(of: request.parameter("id")) { try await resource.delete(request) }
        }
        onAsync(.delete, "/topics/{topic}/observers", .deleteObservers, needs: .manage, resource.deleteAll)
    }
}
