/// Lanes in the order in which they came; each leaves in constant time, wherever it stands.
struct LaneLine {
    private struct Neighbours {
        var before: Int?
        var after: Int?
    }

    private var neighbours: [Int: Neighbours] = [:]
    private(set) var first: Int?
    private var last: Int?

    /// Adds a lane that is not in it.
    mutating func append(_ lane: Int) {
        neighbours[lane] = Neighbours(before: last)
        if let last { neighbours[last]?.after = lane } else { first = lane }
        last = lane
    }

    /// Takes a lane out if it is in it.
    mutating func remove(_ lane: Int) {
        guard let former = neighbours.removeValue(forKey: lane) else { return }
        if let before = former.before { neighbours[before]?.after = former.after } else { first = former.after }
        if let after = former.after { neighbours[after]?.before = former.before } else { last = former.before }
    }
}

extension LaneLine: WaitingLanes {
    var isEmpty: Bool { neighbours.isEmpty }
    var count: Int { neighbours.count }
}
