/// What the writer knows of the tables by heart, in one place: it changes with a transaction, is kept when that is
/// committed, and is put back when it, or a part of it, fails. Nothing here can fail.
///
/// Whatever a transaction changes in memory belongs here, unless a change too many does no harm. Confined to the writer's
/// thread.
struct WriterMemory {
    /// The position of the newest event written, also by the transaction that is being written.
    var tail: Int64
    /// What `log.time` and `log.time_of_day` say; nil if that is not known.
    var noted: LogClock.Reading?
    var topics: TopicNumbers
    var observers = ObserverRegistry()
    /// How many topics have events or bounds, and how many idempotency keys are in the table.
    var held = Held()
    /// What the topics' counters do not show yet.
    var counting: TopicCounting

    /// What `tail` and `held` were when the transaction began.
    private var committedTail: Int64
    private var committedHeld = Held()

    /// What is bounded, and is exactly counted.
    struct Held {
        var topics = 0
        var keys = 0
        /// Whether the tables say so, too.
        var isNoted = false
    }

    /// How far a transaction has come, for going back to.
    struct Mark {
        fileprivate let tail: Int64
        fileprivate let held: Held
        fileprivate let observers: ObserverRegistry.Mark
        fileprivate let counting: TopicCounting
    }

    init(tail: Int64, uncounted: [Int64: TopicAddition], topicLimit: Int) {
        self.tail = tail
        committedTail = tail
        counting = TopicCounting(uncounted: uncounted)
        topics = TopicNumbers(capacity: topicLimit)
    }

    var mark: Mark {
        Mark(
            tail: tail,
            held: held,
            observers: observers.mark,
            counting: counting
        )
    }

    /// The transaction was committed.
    mutating func commit() {
        committedTail = tail
        committedHeld = held
        observers.commit()
        counting.commit()
    }

    /// The transaction failed.
    mutating func rollBack() {
        tail = committedTail
        held = committedHeld
        observers.rollBack()
        counting.rollBack()
        forget()
    }

    /// The part of the transaction failed that came after a mark.
    mutating func rollBack(to mark: Mark) {
        tail = mark.tail
        held = mark.held
        observers.rollBack(to: mark.observers)
        counting = mark.counting
        forget()
    }

    /// What is only a copy of the tables is read again.
    private mutating func forget() {
        topics.forgetAll()
        noted = nil
    }
}
