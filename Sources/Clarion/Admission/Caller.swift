import Access
import EventLog
import MicroHTTP

/// Who sends a request, and what they may do.
final class Caller: Sendable {
    /// Whoever reaches a hub without credentials may do everything.
    static let anyone = Caller(nil, grant: .everything)

    /// What a route takes a request for that nobody has looked at. May do nothing.
    static let nobody = Caller(nil, grant: .nothing)

    /// Nil where the hub knows no credentials.
    let principal: Principal?
    let grant: Grant

    init(_ principal: Principal) {
        self.principal = principal
        grant = principal.grant
    }

    private init(_ principal: Principal?, grant: Grant) {
        self.principal = principal
        self.grant = grant
    }

    /// - Throws: 401 `credential-required` for who has shown none; 403 `right-missing`.
    func require(_ right: Right, on topic: Topic) throws(Problem) {
        guard grant.allows(right, on: topic) else { throw lacks(right, on: topic.name) }
    }

    /// The same for every topic that a pattern matches.
    func require(_ right: Right, on pattern: TopicPattern) throws(Problem) {
        guard grant.allows(right, on: pattern) else { throw lacks(right, on: pattern.text) }
    }

    /// The same for any topic at all.
    ///
    /// - Parameter topic: what the request names.
    func requireSome(_ right: Right, on topic: String? = nil) throws(Problem) {
        guard grant.allowsAnything(right) else { throw lacks(right, on: topic) }
    }

    /// Whether an observer is theirs to see and to change.
    func manages(_ observer: any HubObserver) -> Bool {
        grant.manages(observer)
    }

    /// Whether both are one: by the same key, or tokens of the same subject.
    func isSame(as other: Caller) -> Bool { principal?.id == other.principal?.id }

    /// - Throws: 403 `right-missing` unless they may register a webhook for these topics.
    func requireRegistering(_ topics: [TopicPattern]) throws(Problem) {
        for topic in topics {
            try require(.manage, on: topic)
            try require(.subscribe, on: topic)
        }
    }

    /// What is told who lacks a right.
    ///
    /// - Parameter topic: what it is lacking on, as the request names it; nil if that would tell of what belongs to others.
    func lacks(_ right: Right, on topic: String?) -> Problem {
        principal?.isAnonymous ?? false ? .credentialRequired : .rightMissing(right, on: topic)
    }
}

extension Request {
    /// Who sends it, once its route has admitted it.
    var caller: Caller { identity as? Caller ?? .nobody }
}
