import EventLog

/// Who hears a topic: observers by their topics, kept as they come and go.
///
/// An observer hears a topic if one of its patterns matches, whether that is the topic's name or has wildcards, and counts once
/// however many do.
struct ObserverCensus {
    /// Observers with the same topics: on a busy hub most streams share theirs with many others.
    struct Group: Identifiable {
        let id: Int
        fileprivate var members: [ObserverKind: Set<ListedObserver>] = [:]

        /// How many of each kind. Never to be read while holding a lock: see ``ListedObserver/observer``.
        var counts: [ObserverKind: Int] {
            members.reduce(into: [:]) { counts, members in
                // An object without a lifetime of its own goes without a word, and is swept later.
                let isTold = members.key != .object
                let count = isTold ? members.value.count : members.value.count { $0.observer != nil }
                if count > 0 { counts[members.key] = count }
            }
        }
    }

    private var groups: [Group.ID: Group] = [:]
    private var numbers: [Set<TopicPattern>: Group.ID] = [:]
    private var lastNumber = 0
    private var ofPatterns: [TopicPattern: Set<Group.ID>] = [:]
    private var index = TopicPatternIndex<Group.ID>()

    mutating func insert(_ observer: ListedObserver) {
        let number = numbers[observer.topics] ?? found(observer.topics)
        groups[number]?.members[observer.kind, default: []].insert(observer)
    }

    /// Nothing is left behind of topics without observers.
    mutating func remove(_ observer: ListedObserver) {
        guard let number = numbers[observer.topics] else { return }
        groups[number]?.members[observer.kind]?.remove(observer)
        guard groups[number]?.members[observer.kind]?.isEmpty == true else { return }
        groups[number]?.members[observer.kind] = nil
        guard groups[number]?.members.isEmpty == true else { return }
        groups[number] = nil
        numbers[observer.topics] = nil
        for topic in observer.topics {
            index.remove(number, for: topic)
            ofPatterns[topic]?.remove(number)
            if ofPatterns[topic]?.isEmpty == true { ofPatterns[topic] = nil }
        }
    }

    /// Those who hear a topic.
    func groups(hearing topic: Topic) -> [Group] { index.matches(topic).compactMap { groups[$0] } }

    /// Those who are registered for exactly that pattern, be it among others.
    func members(of pattern: TopicPattern) -> [ListedObserver] { (ofPatterns[pattern] ?? []).flatMap(members) }

    /// Those who are registered for that pattern alone.
    func members(ofNothingBut pattern: TopicPattern) -> [ListedObserver] { numbers[[pattern]].map(members) ?? [] }

    private func members(_ number: Group.ID) -> [ListedObserver] {
        groups[number]?.members.values.flatMap(\.self) ?? []
    }

    private mutating func found(_ topics: Set<TopicPattern>) -> Group.ID {
        lastNumber += 1
        groups[lastNumber] = Group(id: lastNumber)
        numbers[topics] = lastNumber
        for topic in topics {
            index.insert(lastNumber, for: topic)
            ofPatterns[topic, default: []].insert(lastNumber)
        }
        return lastNumber
    }
}
