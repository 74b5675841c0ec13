/// The lanes, by index and by their endpoint's id, and when each of them has something to do.
///
/// An index stays a lane's until nothing of it is outstanding.
struct Lanes {
    private(set) var slots: [Lane?] = []
    private(set) var indices: [String: Int] = [:]
    private(set) var timers = Timers()

    /// The ``DueDelivery/cost`` of what is in all queues.
    private(set) var queuedBytes = 0

    private var free: [Int] = []

    /// The lane of an endpoint, made if there is none.
    mutating func index(of id: String, ownedBy owner: String?) -> Int {
        if let index = indices[id] { return index }
        let index = free.popLast() ?? slots.count
        if index == slots.count { slots.append(nil) }
        slots[index] = Lane(id: id, owner: owner)
        indices[id] = index
        return index
    }

    /// Changes a lane, or looks at it in place. Indices come from the scheduler's own tables; a lane goes only when nothing refers
    /// to it.
    @discardableResult
    mutating func with<Result>(_ index: Int, _ body: (inout Lane) -> Result) -> Result {
        queuedBytes -= slots[index]!.backlog.bytes
        defer { queuedBytes += slots[index]!.backlog.bytes }
        return body(&slots[index]!)
    }

    /// Sets the lane's timer to the next thing it waits for.
    mutating func arm(_ index: Int) { timers.set(with(index, \.nextTime), for: index) }

    mutating func popDue(at now: Int64) -> Int? { timers.popDue(at: now) }

    mutating func forgetIfSettled(_ index: Int) {
        guard with(index, \.isSettled) else { return }
        indices[with(index, \.id)] = nil
        slots[index] = nil
        timers.set(nil, for: index)
        free.append(index)
    }
}
