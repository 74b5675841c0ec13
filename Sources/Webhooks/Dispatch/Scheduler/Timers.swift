import HeapModule

/// When each lane has something to do: one time for each at most.
struct Timers {
    private struct Entry: Comparable {
        /// By the store's time.
        let time: Int64
        let lane: Int

        static func < (one: Entry, other: Entry) -> Bool { one.time < other.time }
    }

    private(set) var times: [Int: Int64] = [:]

    /// The times, and some that were replaced meanwhile, but none of those at the top.
    private var entries = Heap<Entry>()

    var size: Int { entries.count }

    var earliest: Int64? { entries.min?.time }

    /// Sets the lane's time in place of the one that it had; nil takes it away.
    mutating func set(_ time: Int64?, for lane: Int) {
        guard times[lane] != time else { return }
        times[lane] = time
        if let time { entries.insert(Entry(time: time, lane: lane)) }
        dropReplaced()
    }

    /// Takes out the lane whose time is the earliest if it has come.
    mutating func popDue(at now: Int64) -> Int? {
        guard let first = entries.min, first.time <= now else { return nil }
        times[first.lane] = nil
        dropReplaced()
        return first.lane
    }

    private mutating func dropReplaced() {
        // They must not gather below the top either.
        if entries.count > 2 * times.count + 16 { entries = Heap(times.map { Entry(time: $1, lane: $0) }) }
        while let first = entries.min, times[first.lane] != first.time { entries.removeMin() }
    }
}
