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
        let (webhooks, need) = (hub.webhooks, Need.manageSomewhere)
        let one = "/observers/{id}/deliveries/{event}"
        onInquiry(.get, "/observers/{id}/deliveries", .listDeliveries, needs: need, webhooks.withNews(resource.list))
        onAsync(.get, one, .readDelivery, needs: need, webhooks.withNews(resource.read))
        onAsync(.post, "\(one)/redeliver", .redeliver, needs: need, webhooks.withNews(resource.redeliver))
        onInquiry(.post, "/observers/{id}/recover", .recover, needs: need, webhooks.withNews(resource.recover))
        onInquiry(.post, "/observers/{id}/replay", .replay, needs: need, webhooks.withNews(resource.replay))
        onAsync(.post, "/observers/{id}/test", .testObserver, needs: need, webhooks.withNews(resource.test))
    }
}
