import EventLog
import Locking
import MicroHTTP

/// What other nodes of a cluster have done: the registry follows the table, whoever writes to it.
extension WebhookRegistry {
    /// Follows what another node has changed, one thing after the other, and not while this node changes something itself.
    func take(_ change: ObserverChange) async {
        await gate.run {
            switch change {
            case .saved(let record): take(record)
            case .deleted(let id, let revision):
                guard let id = try? ObserverID(id.rawValue), let present = stored(id), present.revision < revision
                else {
                    return
                }
                release(id)
            case .redelivered(let id): dispatcher.reread(id.description)
            }
        }
    }

    /// Changes a webhook: again, with what it is by then, if another node has changed it meanwhile.
    func changing<Value: Sendable>(_ id: ObserverID, _ change: () async throws -> Value) async throws -> Value {
        try await gate.run {
            for _ in 1..<Self.tries {
                do {
                    return try await change()
                } catch let error as EventLogError where error.code == .revisionChanged {
                    try await reread(id)
                }
            }
            return try await change()
        }
    }

    /// A handler of what is asked of an observer. If that is not there, or not as it was to be, it is looked at once more with what other
    /// nodes of a cluster had acknowledged by then: this one may not have heard of it.
    func withNews(
        _ handler: @escaping @Sendable (Request) async throws -> Response
    ) -> @Sendable (Request) async throws -> Response {
        { [self] request in try await withNews(of: request.parameter("id")) { try await handler(request) } }
    }

    /// The same for one about which much is to be found out.
    func withNews(
        _ handler: @escaping @Sendable (Request, Inquiry) async throws -> Response
    ) -> @Sendable (Request, Inquiry) async throws -> Response {
        { [self] request, inquiry in
            try await withNews(of: request.parameter("id")) { try await handler(request, inquiry) }
        }
    }

    /// The same for a part of what is asked, such as finding the observer.
    func withNews<Value>(of id: ObserverID, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let problem as Problem where problem.status == .notFound || problem.status == .preconditionFailed {
            guard try await store.catchUp() else { throw problem }
            try await gate.run { try await reread(id) }
            return try await body()
        }
    }

    /// How often a change may find that others were faster.
    private static var tries: Int { 8 }

    /// Takes in what the table says of a webhook, which this node has not been told yet. To be called in the gate.
    func reread(_ id: ObserverID) async throws {
        if let record = try await store.observer(id) {
            take(record)
        } else if stored(id) != nil {
            release(id)
        }
    }

    /// Begins to deliver what is this node's, from where the log says, and leaves the rest to others.
    ///
    /// - Parameter grace: how long attempts under way may take at what was this node's.
    func takeDuty(grace: Duration) async {
        let others = await gate.run {
            let others = all.compactMap { $0 as? WebhookObserver }.filter { observer in
                guard store.isOnDuty(for: observer.id) else { return true }
                if !dispatcher.delivers(to: observer.id.description) { dispatcher.set(observer.endpoint) }
                return false
            }
            .map(\.id.description)
            // In the gate: what is this node's again by the next time stays.
            dispatcher.leave(others)
            return others
        }
        await dispatcher.waitForEnd(of: others, grace: grace)
    }

    private func take(_ record: ObserverRecord) {
        // This node may have saved it again meanwhile.
        guard let id = try? ObserverID(record.id.rawValue), stored(id).map({ $0.revision < record.revision }) ?? true
        else { return }
        do {
            adopt(id, try StoredWebhook(document: record.document, of: id, key: masterKey), record)
        } catch {
            show(record, unreadable: error, as: id)
        }
    }
}
