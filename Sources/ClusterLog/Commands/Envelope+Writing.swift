import EventLog

extension Envelope {
    /// Begins every message: what does not is none of this program's. No text begins so, in UTF-8.
    static let mark: [UInt8] = [0xC1, 0xA7]

    /// The version of what is written. A node that reads a later one stops, and says so. Each command has one form in a
    /// version: to write another, or a further command, is another version.
    static let version: UInt8 = 4

    /// The bytes of the message.
    var bytes: [UInt8] {
        var writer = WireWriter()
        for byte in Self.mark { writer.byte(byte) }
        writer.byte(Self.version)
        writer.unsigned(node.bits)
        writer.unsigned(number)
        writer.command(command)
        return writer.bytes
    }
}

extension WireWriter {
    fileprivate mutating func command(_ command: Command) {
        switch command {
        case .append(let drafts, let condition, let used):
            byte(1)
            all(drafts) { $0.draft($1) }
            flag(condition != nil)
            if let condition { self.condition(condition) }
            all(used ?? []) { writer, key in
                writer.text(key.topic.name)
                writer.text(key.text)
                writer.number(key.event.rawValue)
            }
        case .saveObserver(let record, let revision, let isReset):
            byte(2)
            self.record(record)
            optionalNumber(revision)
            flag(isReset)
        case .deleteObserver(let id, let revision):
            byte(3)
            text(id.rawValue)
            optionalNumber(revision)
        case .deleteObservers(let pattern, let revision):
            byte(4)
            text(pattern.text)
            optionalNumber(revision)
        case .setRetention(let retention, let topic, let isBounded):
            byte(5)
            flag(retention != nil)
            if let retention {
                for bound in [retention.events, retention.age, retention.bytes] { optionalNumber(bound) }
            }
            text(topic.name)
            flag(isBounded != nil)
            if let isBounded { flag(isBounded) }
        case .deleteTopic(let topic, let position):
            byte(6)
            text(topic.name)
            optionalNumber(position?.rawValue)
        case .recordOutcomes(let outcomes, let term):
            byte(7)
            all(outcomes) { $0.outcome($1) }
            number(term)
        case .abandonDeliveries(let id, let failure, let time):
            byte(8)
            text(id.rawValue)
            text(failure)
            number(time.milliseconds)
        case .redeliver(let events, let id, let createdAt, let time):
            byte(9)
            all(events) { $0.number($1.rawValue) }
            text(id.rawValue)
            optionalNumber(createdAt?.milliseconds)
            number(time.milliseconds)
        case .lease(let leases, let sequence):
            byte(10)
            unsigned(sequence)
            all(leases.shares) { writer, share in
                for number in [share.node.bits, share.renewals, share.parts.rawValue] { writer.unsigned(number) }
            }
        case .probe: byte(11)
        case .takeUp(let parts, let leases):
            byte(13)
            unsigned(parts.rawValue)
            number(leases)
        case .settle(let sequence, let partly, let unnoted):
            byte(14)
            unsigned(sequence)
            all(partly.sorted { $0.key < $1.key }) { writer, message in
                writer.unsigned(message.key)
                writer.all(message.value) { $0.number(Int64($1)) }
            }
            number(unnoted.rawValue)
        case .noteRemoval(let topic, let position):
            byte(12)
            text(topic.name)
            number(position.rawValue)
        }
    }

    private mutating func draft(_ draft: EventDraft) {
        text(draft.topic.name)
        optionalText(draft.type)
        optionalText(draft.contentType)
        optionalData(draft.attributes)
        data(draft.data)
        flag(draft.idempotencyKey != nil)
        guard let key = draft.idempotencyKey else { return }
        text(key.text)
        data(key.fingerprint)
    }

    private mutating func condition(_ condition: AppendCondition) {
        switch condition {
        case .newestIsOne(let ids):
            byte(1)
            all(ids) { $0.text($1.description) }
        case .newestIsNone(let ids):
            byte(2)
            all(ids) { $0.text($1.description) }
        case .hasEvent: byte(3)
        case .hasNone: byte(4)
        case .all(let parts):
            byte(5)
            all(parts) { $0.condition($1) }
        }
    }

    private mutating func record(_ record: ObserverRecord) {
        text(record.id.rawValue)
        all(record.topics) { $0.text($1.text) }
        all(record.types) { $0.text($1) }
        flag(record.receives)
        data(record.document)
        number(record.createdAt.milliseconds)
    }

    private mutating func outcome(_ outcome: DeliveryOutcome) {
        text(outcome.observer.rawValue)
        number(outcome.event.rawValue)
        number(outcome.renewals)
        switch outcome.state {
        case .delivered: byte(1)
        case .pending(let time):
            byte(2)
            number(time.milliseconds)
        case .dead: byte(3)
        }
        number(outcome.failing)
        let attempt = outcome.attempt
        number(Int64(attempt.number))
        number(attempt.at.milliseconds)
        number(attempt.duration)
        for moment in [attempt.connected, attempt.secured, attempt.answered] { optionalNumber(moment) }
        optionalNumber(attempt.status.map { Int64($0) })
        optionalText(attempt.failure)
        optionalText(attempt.message)
        data(attempt.response)
    }
}
