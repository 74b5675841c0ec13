/// What an observable value is, and what has yet to be announced.
///
/// A pure state machine; `ObservableValue` holds it in a lock. Values are in snapshots, so that setting one releases none here:
/// the announcement holds the snapshot before.
///
/// One thread announces at a time: the first that sets. It announces what its own setting led to, and what others set
/// meanwhile for a while; then the rest is due, for a task on the pool or the next who sets, whichever comes first.
struct ValueState: Sendable {
    /// An announcement on its way to all observers, or to one.
    struct Message {
        let announcement: Announcement
        var to: Registration<SoleKey>?
    }

    /// Who announces a setting or greeting.
    enum Turn {
        /// The caller, at once.
        case now(Announcement)
        /// The caller, after what is due: with the next steps.
        case next
        /// Somebody else, who is announcing.
        case other
    }

    /// What who announces has to do next.
    enum Step {
        case announce(Message)
        /// Leave the rest to a task on the pool.
        case handOver
        case stop
    }

    private enum Announcer {
        case nobody
        /// A task on the pool, which has not begun.
        case due
        case thread(ThreadIdentity)
    }

    private struct Waiting {
        let message: Message
        /// Whether it was set by who announces, from inside an observer of its own setting.
        let isOwn: Bool
    }

    /// How long a setter announces for others.
    static var announcingTime: Duration { .milliseconds(10) }

    /// A `Snapshot` of the value's type.
    private(set) var current: any ErasedValue
    /// Counts the settings.
    private(set) var version: UInt64 = 0

    private var announcer = Announcer.nobody
    /// What is announced next, last first, and what comes after it, first first.
    private var next: [Waiting] = []
    private var later: [Waiting] = []
    /// How many of those that wait are own ones.
    private var ownCount = 0
    /// Whether what is being announced is an own one.
    private var isOwn = false
    /// When the announcer leaves the rest to others; `nil` as long as it has announced but its own first setting.
    private var deadline: ContinuousClock.Instant?

    init(_ current: any ErasedValue) { self.current = current }

    /// Sets the value.
    mutating func set(_ value: any ErasedValue, by thread: ThreadIdentity) -> Turn {
        // Moved out and on: each count of references is a locked instruction.
        var previous = value
        swap(&previous, &current)
        version += 1
        return turn(to: Announcement(version: version, current: value, previous: previous), by: thread)
    }

    /// What it is, for who knows its type.
    @inline(__always)
    func snapshot<Value: Sendable>(of type: Value.Type) -> Snapshot<Value> {
        current.known(as: Snapshot<Value>.self)
    }

    /// Changes the value without a copy, if nobody else has it.
    ///
    /// - Parameter body: if it throws, the value may have changed.
    /// - Returns: `nil` if somebody has.
    mutating func changeInPlace<Value: Sendable, Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result,
        by thread: ThreadIdentity
    ) throws(Failure) -> (Result, Turn)? {
        var snapshot = snapshot(of: Value.self)
        current = Nothing.shared
        defer { current = snapshot }
        guard isKnownUniquelyReferenced(&snapshot) else { return nil }
        let result = try snapshot.change(body)
        version += 1
        return (result, turn(to: Announcement(version: version, current: snapshot), by: thread))
    }

    /// Greets an observer with the value, after what is under way.
    mutating func greet(_ registration: Registration<SoleKey>, by thread: ThreadIdentity) -> Turn {
        turn(to: Announcement(version: version, current: current, isGreeting: true), registration, by: thread)
    }

    /// Ends announcing, unless there is more to announce.
    mutating func finish() -> Bool {
        guard next.isEmpty, later.isEmpty else { return false }
        announcer = .nobody
        return true
    }

    /// The next step of who announces.
    mutating func proceed(now: @autoclosure () -> ContinuousClock.Instant) -> Step {
        if finish() {
            deadline = nil
            return .stop
        }
        if ownCount == 0 {
            let now = now()
            if let deadline, now >= deadline {
                announcer = .due
                self.deadline = nil
                return .handOver
            }
            deadline = deadline ?? now + Self.announcingTime
        }
        return pop().map { .announce($0) } ?? .stop
    }

    /// Takes over what is due, unless somebody else has.
    mutating func takeOver(by thread: ThreadIdentity) -> Bool {
        guard case .due = announcer else { return false }
        announcer = .thread(thread)
        return true
    }

    /// Makes the caller the announcer, if there is none.
    private mutating func begin(_ thread: ThreadIdentity) -> Bool {
        guard case .nobody = announcer else { return false }
        announcer = .thread(thread)
        isOwn = true
        return true
    }

    @inline(__always)
    private mutating func turn(
        to announcement: Announcement,
        _ registration: Registration<SoleKey>? = nil,
        by thread: ThreadIdentity
    ) -> Turn {
        begin(thread) ? .now(announcement) : add(Message(announcement: announcement, to: registration), by: thread)
    }

    private mutating func add(_ message: Message, by thread: ThreadIdentity) -> Turn {
        if case .thread(let announcer) = announcer {
            append(message, isOwn: isOwn && thread == announcer)
            return .other
        }
        append(message, isOwn: false)
        return takeOver(by: thread) ? .next : .other
    }

    private mutating func append(_ message: Message, isOwn: Bool) {
        later.append(Waiting(message: message, isOwn: isOwn))
        if isOwn { ownCount += 1 }
    }

    private mutating func pop() -> Message? {
        if next.isEmpty {
            next = later.reversed()
            later = []
        }
        guard let first = next.popLast() else { return nil }
        isOwn = first.isOwn
        if isOwn { ownCount -= 1 }
        return first.message
    }
}

/// Stands in for a snapshot that is being changed.
private final class Nothing: ErasedValue {
    static let shared = Nothing()
}
