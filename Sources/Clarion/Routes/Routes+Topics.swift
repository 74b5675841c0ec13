import MicroHTTP

extension Routes {
    /// `/topics` and `/topics/{topic}`.
    mutating func addTopics(_ hub: Hub) {
        let resource = TopicResource(
            store: hub.log,
            deletion: hub.topicDeletion,
            directory: hub.directory,
            nodes: hub.nodes
        )
        onInquiry(.get, "/topics", .listTopics, needs: .subscribeSomewhere, resource.list)
        onAsync(.get, "/topics/{topic}", .readTopic, needs: .see, resource.read)
        onAsync(.put, "/topics/{topic}", .setTopic, needs: .manage, resource.set)
        onAsync(.delete, "/topics/{topic}", .deleteTopic, needs: .manage, resource.delete)
    }
}
