/// Collects a request body up to a bound, and within the room that there is: a state machine that decides when to refuse.
///
/// What it holds counts in a ``BodyMemory`` until the body is whole, is not kept any more, or this goes.
struct BodyBuffer: ~Copyable {
    /// Why a body is not kept. What comes of it is thrown away.
    enum Fault { case tooLarge, noRoom }

    private(set) var bytes: [UInt8] = []
    /// Nil as long as it is kept.
    private(set) var fault: Fault?
    private var discarded = 0
    private let limit: Int
    private let memory: BodyMemory

    /// How much of a body that is not kept is read and thrown away, so that a client which sends first and listens
    /// afterwards still sees why; beyond it the connection is cut.
    static let discardLimit = 64 * 1024 * 1024

    init(limit: Int, memory: BodyMemory) {
        self.limit = limit
        self.memory = memory
    }

    deinit {
        memory.giveBack(bytes.count)
    }

    /// What to do about the length that the request declares.
    enum Declaration { case read, refuse }

    mutating func declare(length: Int?, awaitsContinue: Bool) -> Declaration {
        guard let length else { return .read }
        if length > limit {
            fault = .tooLarge
            return awaitsContinue || length > Self.discardLimit ? .refuse : .read
        }
        // Who asks first need not send what there is no room for.
        if awaitsContinue, !memory.hasRoom(for: length) {
            fault = .noRoom
            return .refuse
        }
        bytes.reserveCapacity(min(length, 16 * 1024))
        return .read
    }

    /// Adds what came. Returns false beyond `discardLimit`.
    mutating func append(_ part: UnsafeRawBufferPointer) -> Bool {
        if fault == nil {
            let total = bytes.count + part.count
            if total > limit {
                fault = .tooLarge
            } else if !memory.take(part.count, of: total) {
                fault = .noRoom
            } else {
                unsafe bytes.append(contentsOf: part)
                return true
            }
            _ = finish()
        }
        discarded += part.count
        return discarded <= Self.discardLimit
    }

    /// The whole body, moved out.
    mutating func finish() -> [UInt8] {
        memory.giveBack(bytes.count)
        defer { bytes = [] }
        return bytes
    }
}
