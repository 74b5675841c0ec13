import MicroHTTP

extension Routes {
    /// `/observers/{id}/deliveries` and what makes deliveries by hand.
    mutating func addDeliveries(_ hub: Hub) {
        let resource = DeliveryResource(
            log: hub.log,
            webhooks: hub.webhooks,
            directory: hub.directory,
            nodes: hub.nodes,
            gate: hub.gate
        )
        onInquiry(.get, "/observers/{id}/deliveries", .listDeliveries, needs: .manageSomewhere, resource.list)
        onAsync(.get, "/observers/{id}/deliveries/{event}", .readDelivery, needs: .manageSomewhere, resource.read)
        onAsync(
            .post,
            "/observers/{id}/deliveries/{event}/redeliver",
            .redeliver,
            needs: .manageSomewhere,
            resource.redeliver
        )
        onInquiry(.post, "/observers/{id}/recover", .recover, needs: .manageSomewhere, resource.recover)
        onInquiry(.post, "/observers/{id}/replay", .replay, needs: .manageSomewhere, resource.replay)
        onAsync(.post, "/observers/{id}/test", .testObserver, needs: .manageSomewhere, resource.test)
    }
}
