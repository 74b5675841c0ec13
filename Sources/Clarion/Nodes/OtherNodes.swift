import Access
import ClusterLog
import EventLog
import JSON

/// The other nodes of a cluster, asked who listens there and told who is to end. A hub of its own has none, and asks nobody.
struct OtherNodes: Sendable {
    /// Nil for a hub of its own.
    let exchange: NodeExchange?
    /// The clock that the nodes have in common: who has a name is who had it last.
    let clock: @Sendable () -> Timestamp

    /// What the others know, and the names of those that have not answered: see ``NodeAnswers/missing``.
    struct Gathered<Value> {
        var value: Value
        var missing: [String]?
    }

    /// Those who listen elsewhere, as far as a page may take from them.
    func observers(_ page: ObserverPage, for grant: Grant) async -> Gathered<
        (observers: [NodeObserver], horizon: ObserverPage.Cursor?)
    > {
        guard exchange != nil, page.mayHave(.stream) || page.mayHave(.object), grant.allowsAnything(.manage) else {
            return Gathered(value: ([], nil))
        }
        var (found, horizon): ([NodeObserver], ObserverPage.Cursor?) = ([], nil)
        let answers = await gather(.list(page, grant)) { value, node in
            value["observers"]?.all { NodeObserver($0, at: node) }.map { ($0, value["more"] == true) }
        }
        for (observers, isCut) in answers.value {
            // Decided here, whatever a node says.
            found += observers.filter(grant.manages)
            // Of this node nothing is known from there on.
            if isCut, let last = observers.last.map(ObserverPage.Cursor.init) { horizon = min(horizon ?? last, last) }
        }
        return Gathered(value: (found, horizon), missing: answers.missing)
    }

    /// Who has an id elsewhere.
    func find(_ id: ObserverID) async -> Gathered<NodeObserver?> {
        let answers = await gather(.find(id), until: { $0["observer"].map { $0 != .null } ?? false }) { value, node in
            value["observer"].flatMap { $0 == .null ? [] : NodeObserver($0, at: node).map { [$0] } }
        }
        let found = answers.value.joined().first { $0.id == id }
        return Gathered(value: found, missing: found == nil ? answers.missing : nil)
    }

    /// Ends who listens elsewhere.
    /// - Returns: whether it was there, and is theirs to end who ask.
    func end(_ observer: NodeObserver, for grant: Grant) async -> Bool {
        let answers = await gather(.end(observer.id, grant), until: { $0["ended"] == true }) { value, _ in
            value["ended"] == true
        }
        return answers.value.contains(true)
    }

    /// Ends all who listen elsewhere to exactly this pattern.
    func endAll(of pattern: TopicPattern, for grant: Grant) async -> Gathered<Int> {
        let answers = await gather(.endAll(pattern, grant)) { value, _ in
            value["ended"]?.number.flatMap { 0...Self.most ~= $0 ? $0 : nil }
        }
        return Gathered(value: answers.value.reduce(0, +), missing: answers.missing)
    }

    /// Takes a name out of use everywhere.
    func retire(_ key: RetiredNames.Key) { exchange?.tell(NodeQuestion.retire(key).bytes) }

    /// How many hear each topic elsewhere.
    func counts(of topics: [Topic]) async -> Gathered<[[ObserverKind: Int]]> {
        let none = topics.map { _ in [ObserverKind: Int]() }
        guard exchange != nil, !topics.isEmpty else { return Gathered(value: none) }
        let answers = await gather(.count(topics)) { value, _ in
            let counts = value["counts"]?.all { pair -> [ObserverKind: Int]? in
                guard let numbers = pair.all(\.number), numbers.count == 2, numbers.allSatisfy({ 0...Self.most ~= $0 })
                else { return nil }
                return [.stream: numbers[0], .object: numbers[1]]
            }
            return counts?.count == topics.count ? counts : nil
        }
        let sums = answers.value.reduce(into: none) { sums, counts in
            for (place, count) in counts.enumerated() { sums[place].merge(count, uniquingKeysWith: +) }
        }
        return Gathered(value: sums, missing: answers.missing)
    }

    /// More than listen at one node: sums of it do not overflow.
    private static let most = 1 << 40

    /// Whether a stream may have its name, as far as others know, and the wish with the moment from which it has it: after
    /// those who have it elsewhere.
    func answer(for wish: StreamWish) async -> (answer: ObserverNames.Answer, wish: StreamWish) {
        guard let name = wish.name, exchange != nil else { return (.granted, wish) }
        let answers = await gather(.name(name, NodeQuestion.Claimant(wish.caller))) { value, _ in
            value["answer"]?.text.flatMap(Naming.init(rawValue:)).map { ($0, value["since"]?.number ?? 0) }
        }
        let now = clock().milliseconds
        // Another node may have heard the servers' time later than this one, but not by more than this.
        let latest = answers.value.map { Int64($0.1) }.filter { $0 < now + Self.skew }.max() ?? 0
        var wish = wish
        wish.namedAt = Timestamp(milliseconds: max(now, latest + 1))
        if answers.value.contains(where: { $0.0 == .retired }) { return (.retired, wish) }
        return (answers.value.contains { $0.0 == .foreign } ? .foreign : .granted, wish)
    }

    /// An hour, in milliseconds.
    private static let skew: Int64 = 3_600_000

    /// What a node says of a name.
    enum Naming: String {
        case granted, retired, foreign
    }

    /// Ends the streams elsewhere that have the name of one that was opened here.
    func take(_ name: ObserverID, for caller: Caller, since: Timestamp) {
        guard let exchange else { return }
        let claimant = NodeQuestion.Claimant(caller)
        exchange.tell(
            NodeQuestion.take(name, claimant, since: since.milliseconds, node: exchange.name).bytes
        )
    }

    /// Asks, and reads what each says. What cannot be read is no answer.
    private func gather<Value>(
        _ question: NodeQuestion,
        until isEnough: (@Sendable (JSONValue) -> Bool)? = nil,
        _ read: (JSONValue, String) -> Value?
    ) async -> Gathered<[Value]> {
        guard let exchange else { return Gathered(value: []) }
        var sufficiency: (@Sendable ([UInt8]) -> Bool)?
        if let isEnough { sufficiency = { JSONValue(parsing: $0).map(isEnough) ?? false } }
        var answers = await exchange.ask(question.bytes, until: sufficiency)
        var values: [Value] = []
        for (node, bytes) in answers.said.sorted(by: { $0.key < $1.key }) {
            if let value = JSONValue(parsing: bytes).flatMap({ read($0, node) }) {
                values.append(value)
            } else {
                answers.reject(node)
            }
        }
        return Gathered(value: values, missing: answers.missing)
    }
}

extension [String: JSONValue] {
    /// With the names of the nodes that could not be asked. A hub of its own, and one that all have answered, says nothing of it.
    func naming(unreachable nodes: [String]?) -> Self {
        guard let nodes else { return self }
        return merging(["unreachable": .array(nodes.map(JSONValue.string))]) { _, new in new }
    }
}
