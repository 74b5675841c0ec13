import EventLog

extension Envelope {
    /// Why a message is no command.
    enum Refusal: Error, Equatable {
        /// No version of this program has written it: whoever did was never told that it was carried out, and no node
        /// carries it out.
        case meaningless
        /// A later version has, and carries it out.
        case later(UInt8)
    }

    /// Reads what ``bytes`` says.
    init(_ bytes: [UInt8]) throws(Refusal) {
        var reader = WireReader(bytes)
        do {
            for byte in Self.mark { guard try reader.byte() == byte else { throw Refusal.meaningless } }
            let version = try reader.byte()
            if version > Self.version { throw Refusal.later(version) }
            guard version > 0 else { throw Refusal.meaningless }
            node = NodeID(bits: try reader.unsigned())
            number = try reader.unsigned()
            command = try reader.command(in: version)
            guard reader.isAtEnd else { throw Refusal.meaningless }
        } catch {
            throw error as? Refusal ?? .meaningless
        }
    }
}

extension WireReader {
    /// - Parameter version: of what has written it. The first did not say which observer of an id something is delivered again to;
    ///   before the third bounds were set whatever there was, and all removals were noted; before the fourth of an append some could be
    ///   written, and deletions were of all there was when they were carried out.
    fileprivate mutating func command(in version: UInt8) throws(Unreadable) -> Command {
        switch try byte() {
        case 1:
            let drafts = try all { reader throws(Unreadable) in try reader.draft() }
            let condition = try flag() ? self.condition(depth: 0) : nil
            guard version > 3 else { return .append(drafts, if: condition, beside: nil) }
            return .append(drafts, if: condition, beside: try all { reader throws(Unreadable) in try reader.usedKey() })
        case 2: return .saveObserver(try record(), expecting: try optionalNumber(), resettingFailures: try flag())
        case 3: return .deleteObserver(try observer(), expecting: try optionalNumber())
        case 4:
            let pattern = try pattern()
            return .deleteObservers(of: pattern, through: version > 3 ? try optionalNumber() : nil)
        case 5:
            let retention = try flag() ? self.retention() : nil
            let topic = try topic()
            guard version > 2, try flag() else { return .setRetention(retention, of: topic, expectingBounds: nil) }
            return .setRetention(retention, of: topic, expectingBounds: try flag())
        case 6: return .deleteTopic(try topic(), through: version > 3 ? try optionalNumber().map(Position.init) : nil)
        case 7:
            let outcomes = try all { reader throws(Unreadable) in try reader.outcome() }
            return .recordOutcomes(outcomes, term: try number())
        case 8: return .abandonDeliveries(of: try observer(), failure: try text(), at: try time())
        case 9:
            let events = try all { reader throws(Unreadable) in Position(try reader.number()) }
            let observer = try observer()
            let createdAt = version > 1 ? try optionalNumber().map { Timestamp(milliseconds: $0) } : nil
            return .redeliver(events, to: observer, createdAt: createdAt, at: try time())
        case 10:
            let sequence = try unsigned()
            let shares = try all { reader throws(Unreadable) in
                let node = NodeID(bits: try reader.unsigned())
                return Leases.Share(
                    node: node,
                    renewals: try reader.unsigned(),
                    parts: Parts(rawValue: try reader.unsigned())
                )
            }
            return .lease(Leases(shares), after: sequence)
        case 11: return .probe
        case 12: return .noteRemoval(of: try topic(), through: Position(try number()))
        case 13: return .takeUp(Parts(rawValue: try unsigned()), by: try number())
        case 14:
            let sequence = try unsigned()
            let partly = try all { reader throws(Unreadable) in
                let message = try reader.unsigned()
                return (message, try reader.all { reader throws(Unreadable) in Int(try reader.number()) })
            }
            let unnoted = version > 2 ? Position(try number()) : .start
            return .settle(through: sequence, partly: Dictionary(partly) { first, _ in first }, unnoted: unnoted)
        default: throw Unreadable()
        }
    }

    private mutating func observer() throws(Unreadable) -> ObserverID { ObserverID(rawValue: try text()) }

    private mutating func time() throws(Unreadable) -> Timestamp { Timestamp(milliseconds: try number()) }

    private mutating func topic() throws(Unreadable) -> Topic {
        let name = try text()
        do { return try Topic(name) } catch { throw Unreadable() }
    }

    private mutating func pattern() throws(Unreadable) -> TopicPattern {
        let text = try text()
        do { return try TopicPattern(text) } catch { throw Unreadable() }
    }

    private mutating func retention() throws(Unreadable) -> Retention {
        Retention(events: try optionalNumber(), age: try optionalNumber(), bytes: try optionalNumber())
    }

    private mutating func draft() throws(Unreadable) -> EventDraft {
        let topic = try topic()
        let (type, contentType) = (try optionalText(), try optionalText())
        let attributes = try optionalData()
        let data = try data()
        let key = try flag() ? IdempotencyKey(try text(), fingerprint: try self.data()) : nil
        return EventDraft(
            topic: topic,
            type: type,
            contentType: contentType,
            data: data,
            attributes: attributes,
            idempotencyKey: key
        )
    }

    private mutating func usedKey() throws(Unreadable) -> UsedKey {
        let topic = try topic()
        return UsedKey(try text(), of: topic, for: Position(try number()))
    }

    /// - Parameter depth: how many conditions this one is in; what is written has one at most.
    private mutating func condition(depth: Int) throws(Unreadable) -> AppendCondition {
        switch try byte() {
        case 1: return .newestIsOne(of: try ids())
        case 2: return .newestIsNone(of: try ids())
        case 3: return .hasEvent
        case 4: return .hasNone
        case 5 where depth < 8:
            return .all(try all { reader throws(Unreadable) in try reader.condition(depth: depth + 1) })
        default: throw Unreadable()
        }
    }

    private mutating func ids() throws(Unreadable) -> [EventID] {
        try all { reader throws(Unreadable) in
            guard let id = EventID(try reader.text()) else { throw Unreadable() }
            return id
        }
    }

    private mutating func record() throws(Unreadable) -> ObserverRecord {
        ObserverRecord(
            id: try observer(),
            topics: try all { reader throws(Unreadable) in try reader.pattern() },
            types: try all { reader throws(Unreadable) in try reader.text() },
            receives: try flag(),
            document: try data(),
            createdAt: try time()
        )
    }

    private mutating func outcome() throws(Unreadable) -> DeliveryOutcome {
        let (id, event, renewals) = (try observer(), Position(try number()), try number())
        let state: DeliveryOutcome.State
        switch try byte() {
        case 1: state = .delivered
        case 2: state = .pending(notBefore: try time())
        case 3: state = .dead
        default: throw Unreadable()
        }
        let failing = try number()
        // Whoever attempts it next counts on.
        guard let attempts = Int32(exactly: try number()) else { throw Unreadable() }
        let attempt = DeliveryAttempt(
            number: Int(attempts),
            at: try time(),
            duration: try number(),
            connected: try optionalNumber(),
            secured: try optionalNumber(),
            answered: try optionalNumber(),
            status: try optionalNumber().map { Int($0) },
            failure: try optionalText(),
            message: try optionalText(),
            response: try data()
        )
        return DeliveryOutcome(
            observer: id,
            event: event,
            renewals: renewals,
            state: state,
            attempt: attempt,
            failing: failing
        )
    }
}
