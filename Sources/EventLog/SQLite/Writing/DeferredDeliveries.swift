import Synchronization

/// Deliveries that were committed with their events and have no row yet: which they are follows from the event and the
/// observers of that time. One that ends a moment later is written once, with its outcome.
///
/// What is too many to be kept here is left in the log: the deliveries of the backlog's events are worked out when those
/// before them have their rows.
///
/// In order of their ids, which is that of their events. What a transaction did is undone if it fails. Confined to the
/// writer's thread.
struct DeferredDeliveries {
    struct Entry {
        let id: Int64
        /// The key of the observer.
        let observer: Int64
        let event: Int64
        /// In milliseconds of the log's time.
        let notBefore: Int64
        /// Whether it has a row, also in the transaction that is being written.
        fileprivate(set) var isWritten = false
    }

    /// How far the transaction has come, for going back to.
    struct Mark {
        fileprivate var entries: Int
        fileprivate var written: Int
        fileprivate var backlog: Int64?
    }

    /// Those before ``start`` have rows.
    private var entries: [Entry] = []
    private var start = 0
    /// All before it have rows, some perhaps only in this transaction.
    private var first = 0
    /// Places of the entries that got their rows in this transaction.
    private var written: [Int] = []
    /// How many there were when the transaction began.
    private var committed = 0
    /// What the backlog was then.
    private var committedBacklog: Int64?

    /// The first event whose deliveries, and those of all after it, are to be worked out; nil if there is none.
    private(set) var backlog: Int64?

    /// How many have no row.
    private(set) var count = 0

    /// How many there are from the oldest that has no row to the newest, of which some may have one.
    var span: Int { entries.count - start }

    /// The event of the oldest that has no row; nil if there is none.
    var firstEvent: Int64? {
        count == 0 ? backlog : entries[first...].first { !$0.isWritten }?.event
    }

    var mark: Mark { Mark(entries: entries.count, written: written.count, backlog: backlog) }

    /// Leaves the deliveries of an event, and of all after it, to be worked out later.
    mutating func leave(from event: Int64) {
        if backlog == nil { backlog = event }
    }

    /// The deliveries of the backlog were added up to an event.
    /// - Parameter next: the event after it; nil if there is none.
    mutating func tookIn(upTo next: Int64?) {
        backlog = next
    }

    /// Adds one, whose id must be greater than those before.
    mutating func add(id: Int64, observer: Int64, event: Int64, notBefore: Int64) {
        entries.append(Entry(id: id, observer: observer, event: event, notBefore: notBefore))
        count += 1
    }

    /// Takes one out that gets its row now; nil if it has one, or is not known.
    mutating func take(_ id: Int64) -> Entry? {
        let place = place { $0.id < id }
        guard place < entries.count, entries[place].id == id, !entries[place].isWritten else { return nil }
        return take(at: place)
    }

    /// Takes out the oldest, which gets its row now; nil if all have one.
    mutating func takeFirst() -> Entry? {
        while first < entries.count, entries[first].isWritten { first += 1 }
        return first < entries.count ? take(at: first) : nil
    }

    /// Takes out all of an observer, which get their rows now.
    mutating func takeAll(of observer: Int64) -> [Entry] {
        (start..<entries.count).compactMap { place in
            let entry = entries[place]
            return entry.observer == observer && !entry.isWritten ? take(at: place) : nil
        }
    }

    /// Whether an event has deliveries without rows.
    func contains(event: Int64) -> Bool {
        if let backlog, event >= backlog { return true }
        var place = place { $0.event < event }
        while place < entries.count, entries[place].event == event {
            if !entries[place].isWritten { return true }
            place += 1
        }
        return false
    }

    /// Whether the oldest without a row was due at that time already.
    func isWaiting(since time: Int64) -> Bool {
        if count == 0 { return backlog != nil }
        return entries[first...].first { !$0.isWritten }.map { $0.notBefore <= time } ?? false
    }

    /// Where the first entry is that does not come before something.
    private func place(isBefore: (Entry) -> Bool) -> Int {
        var (low, high) = (start, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(entries[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func take(at place: Int) -> Entry {
        entries[place].isWritten = true
        written.append(place)
        count -= 1
        return entries[place]
    }

    /// The transaction was committed.
    mutating func commit() {
        // After an unusually large transaction the memory is given back.
        let isOrdinary = entries.count < 65_536
        written.removeAll(keepingCapacity: isOrdinary)
        while start < entries.count, entries[start].isWritten { start += 1 }
        if start == entries.count {
            entries.removeAll(keepingCapacity: isOrdinary)
            start = 0
        } else if start > entries.count / 2, start > 1_024 {
            entries.removeFirst(start)
            start = 0
        }
        first = start
        committed = entries.count
        committedBacklog = backlog
    }

    /// The transaction failed.
    mutating func rollBack() {
        rollBack(to: Mark(entries: committed, written: 0, backlog: committedBacklog))
    }

    /// A part of the transaction failed.
    mutating func rollBack(to mark: Mark) {
        for place in written[mark.written...] {
            entries[place].isWritten = false
            count += 1
        }
        written.removeSubrange(mark.written...)
        count -= entries[mark.entries...].count { !$0.isWritten }
        entries.removeSubrange(mark.entries...)
        backlog = mark.backlog
        first = start
    }
}

/// What readers are told of ``DeferredDeliveries``.
final class DeferralWatch: Sendable {
    private let first = Atomic<Int64>(.max)
    private let backlogged = Atomic<Bool>(false)

    /// The position from which on events may have deliveries without rows, of which a read then knows nothing; nil if
    /// there is none.
    var firstEvent: Int64? {
        get {
            let event = first.load(ordering: .acquiring)
            return event == .max ? nil : event
        }
        set { first.store(newValue ?? .max, ordering: .releasing) }
    }

    /// Whether deliveries are still to be worked out.
    var hasBacklog: Bool {
        get { backlogged.load(ordering: .acquiring) }
        set { backlogged.store(newValue, ordering: .releasing) }
    }
}
