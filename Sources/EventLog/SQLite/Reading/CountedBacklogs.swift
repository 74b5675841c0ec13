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

    private struct State {
        var recent: [Key: CountedEvents] = [:]
        /// Those before: what is asked for again is taken from here, and the rest goes when the others are many.
        var former: [Key: CountedEvents] = [:]
    }

    private let state = Lock(State())

    /// How many are kept, at most twice. One may take 1.5 KiB.
    private static let limit = 8_192

    subscript(key: Key) -> CountedEvents? {
        get { state.withLock { $0.recent[key] ?? $0.former[key] } }
        set {
            state.withLock { state in
                state.recent[key] = newValue
                guard state.recent.count > Self.limit else { return }
                state.former = state.recent
                state.recent = [:]
            }
        }
    }
}
