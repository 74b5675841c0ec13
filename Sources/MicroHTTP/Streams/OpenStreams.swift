import Notation
import Synchronization

/// What the streams of a server share: how they are kept alive, the memory for what waits for their clients, and how many
/// there are.
public final class OpenStreams: Sendable {
    /// When and what to send into silence.
    public struct KeepAlive: Sendable {
        /// After how long without a byte, give or take a quarter.
        public var interval: Duration
        /// What is sent, such as a comment.
        public var frame: Frame

        /// Sends the frame into a silence of that length.
        public init(interval: Duration, frame: Frame) {
            self.interval = interval
            self.frame = frame
        }

        /// How long a silence may be, in milliseconds.
        var silence: Int { max(1, Int(interval.milliseconds)) }
        /// How often to look for one, in milliseconds.
        var tick: Int { min(1000, max(1, silence / 4)) }
    }

    /// The budget of what waits to be written to clients.
    public let memory: ReaderMemory

    let keepAlive: KeepAlive
    private let open = Atomic<Int>(0)

    /// None yet.
    public init(keepAlive: KeepAlive, memory: ReaderMemory = ReaderMemory()) {
        self.keepAlive = keepAlive
        self.memory = memory
    }

    /// How many streams are open: their head was sent, and their client is not known to be gone.
    public var count: Int { open.load(ordering: .relaxed) }

    func add(_ change: Int) { open.add(change, ordering: .relaxed) }
}
