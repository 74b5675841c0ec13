/// Collects a request body up to a bound: a state machine that decides when to refuse.
struct BodyBuffer {
    private(set) var bytes: [UInt8] = []
    private(set) var isTooLarge = false
    private var discarded = 0
    private let limit: Int

    /// How much of a body that is too large is read and thrown away, so that a client which sends first and listens
    /// afterwards still sees the 413; beyond it the connection is cut.
    static let discardLimit = 64 * 1024 * 1024

    init(limit: Int) {
        self.limit = limit
    }

    /// What to do about the length that the request declares.
    enum Declaration { case read, refuse }

    mutating func declare(length: Int?, awaitsContinue: Bool) -> Declaration {
        guard let length, length > limit else {
            if let length { bytes.reserveCapacity(min(length, 16 * 1024)) }
            return .read
        }
        isTooLarge = true
        return awaitsContinue || length > Self.discardLimit ? .refuse : .read
    }

    /// Adds what came. Returns false beyond `discardLimit`.
    mutating func append(_ part: UnsafeRawBufferPointer) -> Bool {
        if !isTooLarge, bytes.count + part.count <= limit {
            unsafe bytes.append(contentsOf: part)
            return true
        }
        isTooLarge = true
        bytes = []
        discarded += part.count
        return discarded <= Self.discardLimit
    }

    /// The whole body, moved out.
    mutating func finish() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
