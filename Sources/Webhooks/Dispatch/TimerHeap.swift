/// A binary min-heap of due times. Entries are never removed early: the owner recognises one that no longer counts.
struct TimerHeap {
    struct Entry {
        /// By the store's time.
        let time: Int64
        let lane: Int
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }
    var earliest: Int64? { entries.first?.time }

    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].time < entries[parent].time else { break }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the earliest entry if it is due.
    mutating func popDue(at now: Int64) -> Entry? {
        guard let first = entries.first, first.time <= now else { return nil }
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            sink()
        }
        return first
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child].time < entries[smallest].time {
                smallest = child
            }
            guard smallest != parent else { return }
            entries.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
