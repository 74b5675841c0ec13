import EventLog
import JSON

/// Who listens at another node of the cluster, as that node has told. Nothing here owns or ends it.
final class NodeObserver: HubObserver {
    let id: ObserverID
    let kind: ObserverKind
    let topics: [TopicPattern]
    let createdAt: Timestamp
    /// The name of the node.
    let node: String
    private let details: Details

    private enum Details {
        case stream(remoteAddress: String?, connectedAt: Timestamp, lastEventID: String, queuedBytes: Int)
        case object(type: String?)
    }

    /// Reads what a node says of one; nil if that cannot be.
    init?(_ value: JSONValue, at node: String) {
        guard let id = value["id"]?.text.flatMap({ try? ObserverID($0) }),
            let kind = value["kind"]?.text.flatMap(ObserverKind.init(rawValue:)),
            let topics = value["topics"]?.all({ $0.text.flatMap { try? TopicPattern($0) } }), !topics.isEmpty,
            let createdAt = value["createdAt"]?.text.flatMap({ Timestamp(rfc3339: $0) })
        else { return nil }
        (self.id, self.kind, self.topics, self.createdAt, self.node) = (id, kind, topics, createdAt, node)
        switch kind {
        // All nodes have the same webhooks.
        case .webhook: return nil
        case .stream:
            guard let connectedAt = value["connectedAt"]?.text.flatMap({ Timestamp(rfc3339: $0) }),
                let lastEventID = value["lastEventId"]?.text, let queuedBytes = value["queuedBytes"]?.number,
                queuedBytes >= 0
            else { return nil }
            details = .stream(
                remoteAddress: value["remoteAddress"]?.text,
                connectedAt: connectedAt,
                lastEventID: lastEventID,
                queuedBytes: queuedBytes
            )
        case .object: details = .object(type: value["type"]?.text)
        }
    }

    func document() -> JSONValue {
        var members = commonMembers
        switch details {
        case .stream(let remoteAddress, let connectedAt, let lastEventID, let queuedBytes):
            members["remoteAddress"] = JSONValue(remoteAddress)
            members["connectedAt"] = .string(connectedAt.rfc3339)
            members["lastEventId"] = .string(lastEventID)
            members["queuedBytes"] = JSONValue(queuedBytes)
        case .object(let type): members["type"] = JSONValue(type)
        }
        return .object(members)
    }
}
