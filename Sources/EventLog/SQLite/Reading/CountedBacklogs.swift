import Locking

/// What was counted for which observers; for those of whom it was asked last.
///
/// It is not stored: a log that is opened counts once more, and nothing has to be kept in step with each post.
final class CountedBacklogs: Sendable {
    /// An observer, and the position from which on it wanted something. Neither what it wanted then nor what lies after that
    /// position changes: a later wish begins at a later position, or where there is nothing after it yet.
    struct Key: Hashable {
        let observer: Int64
        let since: Int64
    }

    /// Each may take 1.5 KiB.
    private let recent = Lock(RecentValues<Key, CountedEvents>(capacity: 16_384))

    subscript(key: Key) -> CountedEvents? {
        get { recent.withLock { $0[key] } }
        set { recent.withLock { $0[key] = newValue } }
    }
}
