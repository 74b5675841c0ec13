import EventLog

extension SQLiteEventLog {
    /// Carries out a command that writes something other than events and outcomes.
    /// - Parameter end: the last position that an event before the command may have; nil where none says so.
    func perform(_ command: Command, _ delivered: Delivered, end: Position?) async throws(EventLogError) -> Applied {
        switch command {
        case .saveObserver(let record, let revision, let isReset):
            return .saved(
                try await saveObserver(
                    record,
                    expecting: revision,
                    resettingFailures: isReset,
                    as: Int64(clamping: delivered.sequence)
                )
            )
        case .deleteObserver(let id, let revision): return .deleted(try await deleteObserver(id, expecting: revision))
        case .deleteObservers(let pattern, let revision):
            return .deletedObservers(try await deleteObservers(of: pattern, through: revision))
        case .setRetention(let retention, let topic, let isBounded):
            return .topic(try await setRetention(retention, of: topic, expectingBounds: isBounded))
        case .deleteTopic(let topic, let position):
            return .deleted(try await deleteTopic(topic, through: position ?? end))
        case .abandonDeliveries(let id, let failure, let time):
            return .count(try await abandonDeliveries(of: id, failure: failure, at: time))
        case .redeliver(let events, let id, let createdAt, let time):
            return .count(try await redeliver(events, to: id, createdAt: createdAt, at: time))
        case .noteRemoval(let topic, let position):
            try await noteRemoval(of: topic, through: position)
            return .nothing
        case .settle(_, _, let unnoted):
            try await noteRemovals(through: unnoted)
            return .nothing
        case .append, .recordOutcomes, .lease, .takeUp, .probe: return .nothing
        }
    }
}
