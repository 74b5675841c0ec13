/// Collects a request body up to a bound, and within the room that there is: a state machine that decides when to refuse.
///
/// What it holds counts in a ``BodyMemory`` until the body is not kept any more, or this goes; of a whole one until its
/// ``BodyRoom`` goes.
struct BodyBuffer: ~Copyable {
    /// Why a body is not kept. What comes of it is thrown away.
    enum Fault { case tooLarge, noRoom }

    private(set) var bytes: [UInt8] = []
    /// Nil as long as it is kept.
    private(set) var fault: Fault?
    private var discarded = 0
    private var isAnswered = false
    private let limit: Int
    private let memory: BodyMemory

    /// How much of a body that is not kept is read and thrown away before the client is told why. One of this size may be of
    /// a client that sends first and listens afterwards, and its connection can be kept.
    static let quietLimit = 64 << 20

    /// How much is read and thrown away in all: a client that is cut while it sends is not told anything, for the system
    /// throws away with the connection what it has yet to read.
    static let discardLimit = 1 << 30

    init(limit: Int, memory: BodyMemory) {
        self.limit = limit
        self.memory = memory
    }

    deinit {
        memory.giveBack(bytes.count)
    }

    /// What to do next.
    enum Step {
        /// Read on.
        case read
        /// Say why it is refused. Nothing of it comes.
        case refuse
        /// Say why it is refused, and read on.
        case refuseReading
        /// End the connection.
        case cut
    }

    /// Takes in the length that the request declares.
    mutating func declare(length: Int?, awaitsContinue: Bool) -> Step {
        guard let length else { return .read }
        if length > limit {
            fault = .tooLarge
            guard !awaitsContinue else { return .refuse }
            isAnswered = length > Self.quietLimit
            return isAnswered ? .refuseReading : .read
        }
        // Who asks first need not send what there is no room for.
        if awaitsContinue, !memory.hasRoom(for: length) {
            fault = .noRoom
            return .refuse
        }
        bytes.reserveCapacity(min(length, 16 * 1024))
        return .read
    }

    /// Takes in what came.
    mutating func append(_ part: UnsafeRawBufferPointer) -> Step {
        if fault == nil {
            let total = bytes.count + part.count
            if total > limit {
                fault = .tooLarge
            } else if !memory.take(part.count, of: total) {
                fault = .noRoom
            } else {
                unsafe bytes.append(contentsOf: part)
                return .read
            }
            drop()
        }
        discarded += part.count
        if discarded > Self.discardLimit { return .cut }
        guard discarded > Self.quietLimit, !isAnswered else { return .read }
        isAnswered = true
        return .refuseReading
    }

    /// The whole body, moved out, with the room that it takes. One that always has room takes none from here on: a connection
    /// has one at most, and most posts are that small.
    mutating func finish() -> (bytes: [UInt8], room: BodyRoom?) {
        guard bytes.count > BodyMemory.free else {
            defer { drop() }
            return (bytes, nil)
        }
        defer { bytes = [] }
        return (bytes, BodyRoom(of: bytes.count, in: memory))
    }

    private mutating func drop() {
        memory.giveBack(bytes.count)
        bytes = []
    }
}
