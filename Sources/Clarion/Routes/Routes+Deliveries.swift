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
        let need = Need.manageSomewhere
        let one = "/observers/{id}/deliveries/{event}"
        onInquiry(.get, "/observers/{id}/deliveries", .listDeliveries, needs: need, resource.list)
        onInquiry(.get, one, .readDelivery, needs: need, resource.read)
        onAsync(.post, "\(one)/redeliver", .redeliver, needs: need, resource.redeliver)
        onInquiry(.post, "/observers/{id}/recover", .recover, needs: need, resource.recover)
        onInquiry(.post, "/observers/{id}/replay", .replay, needs: need, resource.replay)
        onAsync(.post, "/observers/{id}/test", .testObserver, needs: need, resource.test)
    }
}
