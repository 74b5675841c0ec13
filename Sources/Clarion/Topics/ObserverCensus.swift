import EventLog

/// How many observers of each kind hear a topic, counted once for a whole page of topics.
///
/// An observer counts for a topic if one of its patterns matches, whether that is the topic's name or has wildcards, and
/// once however many do.
struct ObserverCensus {
    /// Observers with the same topics: on a busy hub most streams share theirs with many others.
    private struct Group {
        var counts: [ObserverKind: Int] = [:]
    }

    private var groups: [Group] = []
    private var index = TopicPatternIndex<Int>()

    init(_ observers: [any HubObserver]) {
        var numbers: [Set<TopicPattern>: Int] = [:]
        for observer in observers {
            let topics = Set(observer.topics)
            let number = numbers[topics] ?? groups.count
            if number == groups.count {
                numbers[topics] = number
                groups.append(Group())
                for topic in topics { index.insert(number, for: topic) }
            }
            groups[number].counts[observer.kind, default: 0] += 1
        }
    }

    /// How many hear a topic.
    func count(of topic: Topic) -> [ObserverKind: Int] {
        index.matches(topic).reduce(into: [:]) { sums, number in
            sums.merge(groups[number].counts, uniquingKeysWith: +)
        }
    }
}
