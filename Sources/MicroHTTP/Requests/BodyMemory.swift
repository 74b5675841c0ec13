import Posix
import Synchronization

/// The one budget of request bodies: of those that have not come to their end, however slowly they are sent and by whom, and
/// of whole ones whose requests wait to be answered.
///
/// Room is taken as bytes come, not as they are announced, and given back when the request is gone or the body is not kept
/// any more.
///
/// A body may hold no more than what it leaves free (dynamic thresholds, as in ``ReaderMemory``). So however many are begun,
/// there is room for small ones.
final class BodyMemory: Sendable {
    /// What a connection costs anyway: a body up to this always has room.
    static let free = 4 * 1024

    /// What all may take, in bytes; it may be passed by ``free`` for each connection.
    let limit: Int

    private let used = Atomic<Int>(0)
    /// When room was last wanted in vain, in milliseconds of the monotonic clock.
    private let refused = Atomic<Int>(.min)

    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// What is taken now, in bytes.
    var usedBytes: Int { used.load(ordering: .relaxed) }

    /// Takes room for what has come of a body, if there is room.
    ///
    /// - Parameter total: how much of the body is there then.
    func take(_ bytes: Int, of total: Int) -> Bool {
        let taken = used.add(bytes, ordering: .relaxed).newValue
        guard total > Self.free, taken > limit - total else { return true }
        giveBack(bytes)
        note(SystemClock.coarse.milliseconds)
        return false
    }

    /// Whether a body of this size would find room now.
    func hasRoom(for total: Int) -> Bool {
        if total <= Self.free || total <= limit / 2 && usedBytes <= limit - 2 * total { return true }
        note(SystemClock.coarse.milliseconds)
        return false
    }

    func giveBack(_ bytes: Int) {
        guard bytes > 0 else { return }
        used.subtract(bytes, ordering: .relaxed)
    }

    /// Whether somebody has wanted room in vain, in the time for which a client's pace is measured.
    ///
    /// - Parameter now: in milliseconds of the monotonic clock.
    func isShort(now: Int) -> Bool {
        let last = refused.load(ordering: .relaxed)
        return last != .min && now - last <= ReadingPace.period
    }

    private func note(_ now: Int) { refused.store(now, ordering: .relaxed) }
}
