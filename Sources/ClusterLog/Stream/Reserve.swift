/// What the log keeps of its servers' storage so that it can go on when that is full: messages that say nothing, which are
/// removed when something is refused for want of room. Leases, what came of deliveries, and every removal need messages of
/// their own, and a log that could not write these could never make room. From then on nothing is posted until there is room for
/// all of them again.
///
/// How things stand is in the stream, so that all nodes agree, also those that start later. Pure: messages are given to it.
struct Reserve: Sendable {
    /// A message of the reserve.
    enum Message: Equatable, Sendable {
        /// Takes up room.
        case filler(bytes: Int)
        /// No more events are appended, and what takes up room is removed as it is needed.
        /// - Parameters:
        ///   - bytes: how much there was of it.
        ///   - full: how many bytes the stream had before.
        case givenUp(bytes: UInt64, full: UInt64)
        /// It is there: what takes up room in these places, and nothing else.
        case filled(from: UInt64, through: UInt64)
    }

    /// How things stand.
    enum Standing: Equatable, Sendable {
        /// None was made yet.
        case none
        case filled
        case givenUp(bytes: UInt64, full: UInt64)
    }

    private(set) var standing = Standing.none
    /// The messages that take up room, as far as they are known to be there, and their bytes.
    private(set) var fillers: [UInt64: Int] = [:]

    /// About how much it is: leases of a day, and removals of some thousand topics.
    static let bytes = 1 << 20
    /// Where several servers keep the stream and its bound is known: they take what nodes have on their way before they find that
    /// it is too much, so that they have some megabytes more than the bound.
    static let replicatedBytes = 16 << 20
    /// How much one message of it is, unless there were too many.
    static let fillerBytes = 64 << 10
    /// The most messages of it.
    static let mostFillers = 64
    /// Which share of a small limit it is.
    static let share = 16

    var isGivenUp: Bool { if case .givenUp = standing { true } else { false } }

    /// Takes in a message.
    mutating func take(_ message: Message, at sequence: UInt64) {
        switch message {
        case .filler(let bytes): fillers[sequence] = bytes
        case .givenUp(let bytes, let full): standing = .givenUp(bytes: bytes, full: full)
        case .filled(let first, let last):
            standing = .filled
            fillers = fillers.filter { $0.key >= first && $0.key <= last }
        }
    }

    /// Takes in that messages are not there any more.
    mutating func forget(_ sequences: some Sequence<UInt64>) {
        for sequence in sequences { fillers[sequence] = nil }
    }

    /// How much is left of it after it was given up; nil if it was not.
    /// - Parameter bytes: how many the stream has now.
    func left(at bytes: UInt64) -> Int64? {
        guard case .givenUp(_, let full) = standing else { return nil }
        // What still takes up room of it is not used either.
        return Int64(clamping: full) - Int64(clamping: bytes) + Int64(fillers.values.reduce(0, +))
    }

    /// Whether so little is left that only what makes room, and leases, may be written.
    func isScarce(at bytes: UInt64) -> Bool {
        guard case .givenUp(let given, _) = standing, let left = left(at: bytes) else { return false }
        return left < Int64(clamping: given / 2)
    }

    /// Whether there seems to be room for it again, and as much besides: what is posted then does not fill the storage at once.
    func hasRoom(at bytes: UInt64) -> Bool {
        guard case .givenUp(let given, _) = standing, let left = left(at: bytes) else { return true }
        return left >= 2 * Int64(clamping: given)
    }

    /// How many messages of which size it should be.
    /// - Parameters:
    ///   - limit: what may be stored at most, if that is known.
    ///   - most: the largest message that servers take.
    ///   - isReplicated: whether several servers keep the stream.
    static func plan(limit: Int64?, most: Int, isReplicated: Bool = false) -> (count: Int, bytes: Int) {
        let total = limit.map { min(isReplicated ? replicatedBytes : bytes, Int(clamping: $0) / share) } ?? bytes
        let size = max(min(max(fillerBytes, total / mostFillers), most, total), 1)
        return (min(max(total / size, 1), mostFillers), size)
    }
}

extension Reserve.Message {
    /// Begins each, and is no text in UTF-8, nor how a command begins.
    private static let mark: [UInt8] = [0xC1, 0xA8]

    /// More than servers have. Whoever else writes to them may say so, and nothing is worked out with it.
    private static let mostBytes: UInt64 = 1 << 60

    /// Reads a message; nil if it is none.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: Self.mark) else { return nil }
        var reader = WireReader(Array(bytes.dropFirst(Self.mark.count)))
        switch try? reader.byte() {
        case 1: self = .filler(bytes: bytes.count)
        case 2:
            guard let given = try? reader.unsigned(), let full = try? reader.unsigned(),
                max(given, full) <= Self.mostBytes
            else { return nil }
            self = .givenUp(bytes: given, full: full)
        case 3:
            guard let first = try? reader.unsigned(), let last = try? reader.unsigned() else { return nil }
            self = .filled(from: first, through: last)
        default: return nil
        }
    }

    /// What is written.
    var bytes: [UInt8] {
        var writer = WireWriter()
        for byte in Self.mark { writer.byte(byte) }
        switch self {
        case .filler(let bytes):
            writer.byte(1)
            return writer.bytes + [UInt8](repeating: 0, count: max(bytes - writer.bytes.count, 0))
        case .givenUp(let given, let full):
            writer.byte(2)
            writer.unsigned(given)
            writer.unsigned(full)
        case .filled(let first, let last):
            writer.byte(3)
            writer.unsigned(first)
            writer.unsigned(last)
        }
        return writer.bytes
    }
}
