import ClusterLog
import EventLog
import JSON

/// Answers what other nodes of the cluster ask of those who listen at this one.
struct NodeResponder {
    let hub: Hub
    let exchange: NodeExchange

    /// The answer to a question. One that is not known is answered, too: whoever asked need not wait.
    func answer(_ bytes: [UInt8]) -> [UInt8]? {
        guard let question = NodeQuestion(bytes) else { return JSONValue.object([:]).bytes }
        switch question {
        case .list(let page, let grant):
            let own = page.first(of: hub.directory) { $0.kind != .webhook && grant.manages($0) }
            let (observers, next) = page.select(from: own)
            return list(observers, isCut: next != .null)
        case .find(let id):
            return object("observer", find(id).map(Self.document) ?? .null)
        case .end(let id, let grant):
            let ended = find(id).map { grant.manages($0) && hub.living.unregister($0) } ?? false
            return object("ended", .bool(ended))
        case .endAll(let pattern, let grant):
            let own = hub.directory.listed(of: pattern).lazy.filter { $0.kind != .webhook }.compactMap(\.observer)
            return object("ended", JSONValue(own.count { grant.manages($0) && hub.living.unregister($0) }))
        case .retire(let key):
            hub.names.retire(key)
            return nil
        case .count(let topics):
            let counts = hub.directory.counts(of: topics).map { count in
                JSONValue.array([.stream, .object].map { JSONValue(count[$0] ?? 0) })
            }
            return object("counts", .array(counts))
        case .name(let id, let claimant): return naming(id, claimant)
        case .take(let id, let claimant, let since, let node):
            guard let stream = find(id) as? EventStream else { return nil }
            if (stream.namedAt.milliseconds, exchange.name) < (since, node) {
                if claimant.mayReplace(stream) { stream.end(.replaced) }
            } else {
                // Opened at the same time, and told of before the other was there: now it is.
                hub.nodes.take(id, for: stream.caller, since: stream.namedAt)
            }
            return nil
        case .status: return (hub.log as? JetStreamLog).map { NodeStatus(of: hub, $0).json.bytes }
        }
    }

    private func find(_ id: ObserverID) -> (any HubObserver)? {
        hub.directory.find(id).flatMap { $0.kind == .webhook ? nil : $0 }
    }

    private func naming(_ id: ObserverID, _ claimant: NodeQuestion.Claimant) -> [UInt8] {
        var (answer, since) = (OtherNodes.Naming.granted, JSONValue.null)
        if hub.names.isRetired(RetiredNames.Key(name: id, owner: claimant.principal)) { answer = .retired }
        if let stream = find(id) as? EventStream {
            if !claimant.mayReplace(stream) { answer = .foreign }
            since = JSONValue(stream.namedAt.milliseconds)
        }
        return JSONValue.object(["answer": .string(answer.rawValue), "since": since]).bytes
    }

    private func object(_ name: String, _ value: JSONValue) -> [UInt8] { JSONValue.object([name: value]).bytes }

    /// As many as one message holds, the first of them in any case: whoever asked asks on after the last.
    private func list(_ observers: [any HubObserver], isCut: Bool) -> [UInt8] {
        var (bytes, isCut) = (Array(#"{"observers":["#.utf8), isCut)
        let room = exchange.maximumBytes - 32
        for (place, observer) in observers.enumerated() {
            let document = Self.document(of: observer).bytes
            guard place == 0 || bytes.count + document.count < room else {
                isCut = true
                break
            }
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += document
        }
        return bytes + Array(#"],"more":\#(isCut)}"#.utf8)
    }

    private static func document(of observer: any HubObserver) -> JSONValue {
        switch observer {
        case let stream as EventStream: stream.document()
        case let object as ObjectObserver: object.document()
        case let feed as EventFeed: feed.document()
        default: .null
        }
    }
}
