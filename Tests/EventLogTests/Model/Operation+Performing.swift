import EventLog

extension Operation {
    /// Does it to a log.
    func perform(on log: any CompleteLog) async throws -> Outcome {
        switch self {
        case .post(let posts, let condition):
            do {
                let receipt = try await log.append(
                    posts.map(\.draft),
                    if: try await Operation.condition(condition, on: posts.first?.topic, log)
                )
                return .posted(receipt.events.map(\.position.rawValue), isReplay: receipt.isReplay)
            } catch let error as EventLogError {
                return .refused(error.code)
            }
        case .bound(let topic, let retention):
            try await log.setRetention(retention, of: .of(topic))
            return .done
        case .delete(let topic):
            return .deleted(try await log.deleteTopic(.of(topic)))
        }
    }

    private static func condition(
        _ condition: Condition?,
        on topic: String?,
        _ log: any CompleteLog
    ) async throws -> AppendCondition? {
        guard let topic else { return nil }
        let newest = try await log.lastEvent(of: .of(topic))?.id
        return switch condition {
        case .hasEvent: .hasEvent
        case .hasNone: .hasNone
        case .isNewest: .newestIsOne(of: newest.map { [$0] } ?? [])
        case .isOther: .newestIsOne(of: [EventID(epoch: log.epoch, position: Position(log.tail.rawValue + 1))])
        case nil: nil
        }
    }
}

extension Operation.Post {
    var draft: EventDraft {
        var draft = EventDraft.of(topic, text)
        draft.idempotencyKey = key.map { IdempotencyKey($0, fingerprint: fingerprint) }
        return draft
    }

    /// Of every other length the same, so that a key comes again as a replay and as a conflict.
    var fingerprint: [UInt8] { [UInt8(text.utf8.count % 2)] }
}
