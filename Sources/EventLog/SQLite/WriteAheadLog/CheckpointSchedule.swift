/// When what was committed is moved from the write-ahead log into the database file, and by whom: a pure state machine,
/// asked after each commit.
///
/// A checkpoint waits for the disk twice, so as a rule it runs beside the writer. But while posts never cease, the log
/// then never stands still long enough to begin anew from its start. So when it has become really long the writer makes
/// one checkpoint itself, right after one beside it has left little to move and little to wait for.
///
/// None begins beside the writer where all is moved already: a commit may have the log begin anew meanwhile, and SQLite before
/// 3.51.3 then takes what is committed later for moved, and loses it (<https://www.sqlite.org/wal.html#walresetbug>).
struct CheckpointSchedule: Sendable {
    enum Action: Equatable {
        case none
        /// Beside the writer, up to where the log reaches now.
        case beside
        /// By the writer, so that the log begins anew.
        case here
        /// The writer waits for the one beside it, and asks again: it does not keep up.
        case wait
    }

    /// By how many pages the log must have grown since the last checkpoint for another to be worth while (16 MiB): a page
    /// that was written several times meanwhile is moved once.
    let step: Int

    /// From how many pages on the log is to begin anew (64 MiB).
    let limit: Int

    /// How many pages the log never exceeds by more than a transaction (96 MiB).
    let bound: Int

    /// How long the log was at the last checkpoint, or when it began anew.
    private var last = 0

    /// Whether the checkpoint beside the writer is to be followed by one of its own.
    private var isLong = false

    /// - Parameter pageSize: in bytes.
    init(pageSize: Int) {
        (step, limit, bound) = ((16 << 20) / pageSize, (64 << 20) / pageSize, (96 << 20) / pageSize)
    }

    /// What to do after a commit. An action that is answered counts as done, also if it fails: it comes again when the
    /// log has grown further.
    /// - Parameters:
    ///   - pages: how long the log is.
    ///   - isRunning: whether a checkpoint is under way beside the writer.
    ///   - moved: how many pages the log had that the last checkpoint found or made moved.
    ///   - isWanted: whether there is to be one although the log has not grown much.
    mutating func next(pages: Int, isRunning: Bool, moved: Int, isWanted: Bool) -> Action {
        if pages < last {
            last = 0
            isLong = false
        }
        guard !isRunning else { return pages >= bound ? .wait : .none }
        if isLong {
            isLong = false
            last = pages
            return .here
        }
        guard pages - last >= step || isWanted, pages != moved else { return .none }
        last = pages
        isLong = pages >= limit
        return .beside
    }
}
