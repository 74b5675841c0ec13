internal import GRDB

extension SQLiteEventLog: TopicStore {
    /// The topics there are: see ``TopicStore/topics(prefix:after:limit:)``.
    public func topics(prefix: String, after: String?, limit: Int) async throws(EventLogError) -> [TopicSummary] {
        try await read { [epoch] db in
            try TopicReader(db: db, epoch: epoch).topics(prefix: prefix, after: after, limit: limit)
        }
    }

    /// One topic: see ``TopicStore/summary(of:)``.
    public func summary(of topic: Topic) async throws(EventLogError) -> TopicSummary? {
        try await read { [epoch] db in try TopicReader(db: db, epoch: epoch).summary(of: topic) }
    }

    /// Gives a topic bounds of its own: see ``TopicStore/setRetention(_:of:)``.
    @discardableResult
    public func setRetention(_ retention: Retention?, of topic: Topic) async throws(EventLogError) -> TopicSummary? {
        try await change { [epoch] tables, db in
            // What comes to a copy was admitted by who asked for it.
            if tables.removed == nil, retention?.isUnbounded == false { try tables.topics.admit(topic) }
            try tables.topics.setRetention(retention, of: topic, noting: &tables.schedule, db)
            return try TopicReader(db: db, epoch: epoch).summary(of: topic)
        }
    }

    /// Removes a topic: see ``TopicStore/deleteTopic(_:)``.
    public func deleteTopic(_ topic: Topic) async throws(EventLogError) -> Bool {
        try await change { tables, db in
            try tables.countEvents(db)
            return try tables.topics.delete(topic, noting: &tables.schedule, db)
        }
    }
}
