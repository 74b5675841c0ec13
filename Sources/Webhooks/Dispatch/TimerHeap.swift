/// When each lane has something to do: a binary min-heap with one entry for each lane at most.
struct TimerHeap {
    private struct Entry {
        /// By the store's time.
        var time: Int64
        let lane: Int
    }

    private var entries: [Entry] = []
    /// Where the entry of each lane is.
    private var places: [Int: Int] = [:]

    var count: Int { entries.count }
    var earliest: Int64? { entries.first?.time }

    func time(of lane: Int) -> Int64? {
        places[lane].map { entries[$0].time }
    }

    /// Sets the lane's time in place of the one that it had; nil takes it away.
    mutating func set(_ time: Int64?, for lane: Int) {
        guard let time else { return remove(lane) }
        if let place = places[lane] {
            guard entries[place].time != time else { return }
            entries[place].time = time
            settle(place)
        } else {
            entries.append(Entry(time: time, lane: lane))
            places[lane] = entries.count - 1
            rise(from: entries.count - 1)
        }
    }

    /// Takes out the lane whose time is the earliest if it has come.
    mutating func popDue(at now: Int64) -> Int? {
        guard let first = entries.first, first.time <= now else { return nil }
        remove(first.lane)
        return first.lane
    }

    private mutating func remove(_ lane: Int) {
        guard let place = places.removeValue(forKey: lane) else { return }
        let last = entries.removeLast()
        guard place < entries.count else { return }
        entries[place] = last
        places[last.lane] = place
        settle(place)
    }

    /// Moves an entry whose time has changed to where it belongs.
    private mutating func settle(_ place: Int) {
        sink(from: rise(from: place))
    }

    @discardableResult
    private mutating func rise(from place: Int) -> Int {
        var child = place
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].time < entries[parent].time else { break }
            swap(child, parent)
            child = parent
        }
        return child
    }

    private mutating func sink(from place: Int) {
        var parent = place
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child].time < entries[smallest].time {
                smallest = child
            }
            guard smallest != parent else { return }
            swap(parent, smallest)
            parent = smallest
        }
    }

    private mutating func swap(_ one: Int, _ other: Int) {
        entries.swapAt(one, other)
        places[entries[one].lane] = one
        places[entries[other].lane] = other
    }
}
