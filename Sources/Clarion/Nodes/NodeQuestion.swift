import Access
import EventLog
import JSON

/// What the nodes of a cluster ask each other of those who listen at one node alone: streams, and objects of its process. In
/// JSON, so that nodes of two versions understand what both know.
///
/// Who may do what is decided by the node that was asked by a client; its question has the client's rights, and the one that
/// answers looks at nothing else.
enum NodeQuestion: Equatable {
    /// A page of those that a client manages.
    case list(ObserverPage, Grant)
    /// The one of an id.
    case find(ObserverID)
    /// Is to end, if the client manages it.
    case end(ObserverID, Grant)
    /// All of exactly this pattern are to end that the client manages.
    case endAll(TopicPattern, Grant)
    /// A name that no stream of who had it is to have for a day.
    case retire(RetiredNames.Key)
    /// How many hear each of some topics.
    case count([Topic])
    /// Whether a client's stream may have a name.
    case name(ObserverID, Claimant)
    /// A client's stream has a name now, since a moment; whoever has it here is to end. `node` decides between two of one moment.
    case take(ObserverID, Claimant, since: Int64, node: String)
    /// How the node is.
    case status

    /// Who wants a name.
    struct Claimant: Equatable {
        /// Nil where the hub knows no credentials.
        let principal: String?
        let grant: Grant

        init(principal: String?, grant: Grant) { (self.principal, self.grant) = (principal, grant) }

        init(_ caller: Caller) { self.init(principal: caller.principal?.id.digest, grant: caller.grant) }

        /// Whether a stream is theirs to replace.
        func mayReplace(_ stream: EventStream) -> Bool {
            principal == stream.caller.principal?.id.digest || grant.manages(stream)
        }
    }

    var bytes: [UInt8] { JSONValue.object(members).bytes }

    private var members: [String: JSONValue] {
        switch self {
        case .list(let page, let grant):
            page.members.merging(["ask": "list", "manage": grant.managed]) { _, new in new }
        case .find(let id): ["ask": "find", "id": .string(id.description)]
        case .end(let id, let grant): ["ask": "end", "id": .string(id.description), "manage": grant.managed]
        case .endAll(let pattern, let grant):
            ["ask": "end-all", "topic": .string(pattern.text), "manage": grant.managed]
        case .retire(let key):
            ["ask": "retire", "id": .string(key.name.description), "principal": JSONValue(key.owner)]
        case .count(let topics): ["ask": "count", "topics": .array(topics.map { .string($0.name) })]
        case .name(let id, let claimant):
            claimant.members.merging(["ask": "name", "id": .string(id.description)]) { _, new in new }
        case .take(let id, let claimant, let since, let node):
            claimant.members.merging([
                "ask": "take", "id": .string(id.description), "since": JSONValue(since), "node": .string(node),
            ]) { _, new in new }
        case .status: ["ask": "status"]
        }
    }

    /// Reads a question; nil for one that this version does not know.
    init?(_ bytes: [UInt8]) {
        guard let value = JSONValue(parsing: bytes), let word = value["ask"]?.text else { return nil }
        let id = value["id"]?.text.flatMap { try? ObserverID($0) }
        let grant = Grant(managing: value["manage"])
        switch word {
        case "list":
            guard let page = ObserverPage(value), let grant else { return nil }
            self = .list(page, grant)
        case "find":
            guard let id else { return nil }
            self = .find(id)
        case "end":
            guard let id, let grant else { return nil }
            self = .end(id, grant)
        case "end-all":
            guard let pattern = value["topic"]?.text.flatMap({ try? TopicPattern($0) }), let grant else { return nil }
            self = .endAll(pattern, grant)
        case "retire":
            guard let id else { return nil }
            self = .retire(RetiredNames.Key(name: id, owner: value["principal"]?.text))
        case "count":
            guard let topics = value["topics"]?.all({ $0.text.flatMap { try? Topic($0) } }) else { return nil }
            self = .count(topics)
        case "name":
            guard let id, let grant else { return nil }
            self = .name(id, Claimant(principal: value["principal"]?.text, grant: grant))
        case "take":
            guard let id, let grant, let since = value["since"]?.number, let node = value["node"]?.text else {
                return nil
            }
            self = .take(
                id,
                Claimant(principal: value["principal"]?.text, grant: grant),
                since: Int64(since),
                node: node
            )
        case "status": self = .status
        default: return nil
        }
    }
}

extension NodeQuestion.Claimant {
    fileprivate var members: [String: JSONValue] {
        ["principal": JSONValue(principal), "manage": grant.managed]
    }
}

extension Grant {
    /// What it lets one manage.
    fileprivate var managed: JSONValue { .array(patterns(.manage).map { .string($0.text) }) }

    fileprivate init?(managing value: JSONValue?) {
        guard let patterns = value?.all({ $0.text.flatMap { try? TopicPattern($0) } }) else { return nil }
        self.init(manage: patterns)
    }
}

extension JSONValue {
    /// The elements of an array, each of which must be readable.
    func all<Element>(_ read: (JSONValue) -> Element?) -> [Element]? {
        guard let elements else { return nil }
        let all = elements.compactMap(read)
        return all.count == elements.count ? all : nil
    }
}
