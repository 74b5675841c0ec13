/// How often a stream of many is written: `sendmsg(2)` and waking a client cost the same whatever is sent, so where more
/// comes than can be written at once, each stream is written seldom, with much at a time.
///
/// What comes now and then goes at once: streams wait only when there are many, and each has had several chunks when it was
/// its turn.
struct WritingPace {
    /// From how many streams on that have something to write.
    static let crowd = 128
    /// From how many chunks on for each of them.
    static let chunks = 2
    /// How long a stream has between two writes then, in milliseconds.
    static let interval = 16

    private var written: (streams: Int, chunks: Int) = (0, 0)
    private var hasMuch = false

    /// Takes in that so many streams were written with so many chunks together.
    mutating func wrote(streams: Int, chunks: Int) {
        written.streams += streams
        written.chunks += chunks
        guard written.streams >= Self.crowd else { return }
        hasMuch = written.chunks >= written.streams * Self.chunks
        written = (0, 0)
    }

    /// Whether streams wait for their turn, if so many have something to write.
    func isSlow(waiting: Int) -> Bool { hasMuch && waiting >= Self.crowd }

    /// When one that waits may be written, in milliseconds of the monotonic clock; nil for at once.
    /// - Parameter last: when it was written last.
    func due(last: Int, now: Int) -> Int? { last + Self.interval > now ? last + Self.interval : nil }
}
