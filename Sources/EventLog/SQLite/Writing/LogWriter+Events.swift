extension LogWriter {
    /// Writes an event, and a delivery of it for each observer that wants it.
    func insert(_ draft: EventDraft, at time: Timestamp, _ statements: WriterStatements) throws -> Event {
        let topic = try number(of: draft.topic, statements)
        tail += 1
        let row = statements.insertEvent
        row.bind(tail, at: 1)
        row.bind(topic, at: 2)
        row.bind(time.milliseconds, at: 3)
        row.bind(draft.type, at: 4)
        row.bind(draft.contentType, at: 5)
        row.bind(draft.attributes, at: 6)
        try row.run(binding: draft.data, at: 7)
        let event = Event(
            id: EventID(epoch: epoch, position: Position(tail)),
            topic: draft.topic,
            type: draft.type,
            contentType: draft.contentType,
            data: draft.data,
            attributes: draft.attributes,
            time: time
        )
        try observers.forEachRecipient(of: event) { observer in
            try insertDelivery(of: event, to: observer, statements)
        }
        return event
    }

    /// Brings the counters of observers up to the deliveries that this transaction added: once for all of them, because
    /// a group may hold many events for one observer.
    func countDeliveries(_ statements: WriterStatements) throws {
        for observer in uncounted {
            statements.countPending.bind(observer.key, at: 1)
            statements.countPending.bind(observer.uncounted, at: 2)
            try statements.countPending.run()
            observer.uncounted = 0
        }
        uncounted.removeAll(keepingCapacity: true)
    }

    private func insertDelivery(
        of event: Event,
        to observer: RegisteredObserver,
        _ statements: WriterStatements
    ) throws {
        lastDelivery += 1
        let row = statements.insertDelivery
        row.bind(lastDelivery, at: 1)
        row.bind(observer.key, at: 2)
        row.bind(event.position.rawValue, at: 3)
        row.bind(event.time.milliseconds, at: 4)
        try row.run()
        if observer.uncounted == 0 { uncounted.append(observer) }
        observer.uncounted += 1
    }

    private func number(of topic: Topic, _ statements: WriterStatements) throws -> Int64 {
        if let number = topics.number(of: topic) { return number }
        statements.findTopic.bind(topic.name, at: 1)
        if let number = try statements.findTopic.first({ $0.integer(0) }) {
            topics.remember(number, for: topic)
            return number
        }
        statements.insertTopic.bind(topic.name, at: 1)
        var number: Int64 = 0
        // To the end, not only to the first row: an INSERT is done when it says so.
        try statements.insertTopic.forEach { number = $0.integer(0) }
        topics.remember(number, for: topic)
        return number
    }
}
