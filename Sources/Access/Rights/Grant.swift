public import EventLog

/// What somebody may do: for each right the patterns of topics that it holds for.
///
/// ```swift
/// let grant = Grant(publish: [try TopicPattern("orders.*")])
/// grant.allows(.publish, on: try Topic("orders.created"))         // true
/// grant.allows(.publish, on: try TopicPattern("orders.**"))       // false: it is more than `orders.*`
/// ```
public struct Grant: Sendable, Equatable {
    /// Compiled once and shared, since grants are copied with every request.
    private final class Sets: Sendable {
        let publish, subscribe, manage: PatternSet

        init(publish: PatternSet, subscribe: PatternSet, manage: PatternSet) {
            self.publish = publish
            self.subscribe = subscribe
            self.manage = manage
        }
    }

    private let sets: Sets

    /// Every right on every topic.
    public static let everything = {
        let all = PatternSet([TopicPattern.everything])
        return Grant(Sets(publish: all, subscribe: all, manage: all))
    }()

    /// No right on any topic.
    public static let nothing = Grant()

    /// The rights on topics that match.
    public init(publish: [TopicPattern] = [], subscribe: [TopicPattern] = [], manage: [TopicPattern] = []) {
        self.init(
            Sets(publish: PatternSet(publish), subscribe: PatternSet(subscribe), manage: PatternSet(manage))
        )
    }

    private init(_ sets: Sets) {
        self.sets = sets
    }

    /// The patterns of a right, each once, in order of their texts.
    public func patterns(_ right: Right) -> [TopicPattern] { self[right].patterns }

    /// Whether it holds for a topic. Allocates nothing.
    public func allows(_ right: Right, on topic: Topic) -> Bool { self[right].matches(topic) }

    /// Whether it holds for every topic that matches a pattern, by one of the grant's patterns alone.
    public func allows(_ right: Right, on pattern: TopicPattern) -> Bool { self[right].covers(pattern) }

    /// Whether it holds for every topic there can be, by `**`.
    public func allowsEverything(_ right: Right) -> Bool { self[right].isEverything }

    /// Whether there is a topic that it holds for.
    public func allowsAnything(_ right: Right) -> Bool { !self[right].patterns.isEmpty }

    /// Whether both hold the same patterns for each right.
    public static func == (one: Grant, other: Grant) -> Bool {
        one.sets === other.sets || Right.allCases.allSatisfy { one[$0] == other[$0] }
    }

    private subscript(_ right: Right) -> PatternSet {
        switch right {
        case .publish: sets.publish
        case .subscribe: sets.subscribe
        case .manage: sets.manage
        }
    }
}
