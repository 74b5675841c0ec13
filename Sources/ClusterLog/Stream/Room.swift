/// What several servers may still store, where an account bounds it: so much of it each node may have on its way to them.
///
/// Servers that are a cluster look at what they have stored, not at what they have been sent, and hear of each other's only now
/// and then (`max_file`). What they take beyond the bound would be more than the whole ``Reserve``: then nothing could be written
/// by which room is made. Pure.
struct Room: Sendable {
    enum Admission: Equatable, Sendable {
        case yes
        /// Not before something else has been stored.
        case later
        /// There is no room for it.
        case no
    }

    /// What a message takes beside its subject and its data.
    static let overhead = 30

    /// How many bytes the stream may have; nil if that is not known, or kept to the byte by who bounds it.
    private var limit: Int64?
    private var bytes: Int64 = 0
    private var last: UInt64 = 0
    private var nodes: Int64 = 1
    /// What was taken since the servers were asked.
    private var meanwhile: [(sequence: UInt64, size: Int64)]?

    /// Notes that the servers are about to be asked: what comes until they answer may not be in what they tell.
    mutating func begin() { meanwhile = [] }

    /// Takes in how many nodes there are: one that has just come may send as much as the others.
    mutating func share(among nodes: Int) { self.nodes = Int64(max(nodes, 1)) }

    /// Takes in what the servers tell.
    /// - Parameter last: the newest message that is in those bytes.
    mutating func look(limit: Int64?, bytes: UInt64, last: UInt64) {
        (self.limit, self.last) = (limit, last)
        let missing = (meanwhile ?? []).reduce(0) { $1.sequence > last ? $0 + $1.size : $0 }
        (self.bytes, meanwhile) = (Int64(clamping: min(bytes, 1 << 60)) + missing, nil)
    }

    /// Takes in a message of the stream.
    mutating func take(_ size: Int, at sequence: UInt64) {
        guard sequence > last else { return }
        let size = Int64(size + Self.overhead)
        bytes += size
        meanwhile?.append((sequence, size))
    }

    /// Takes in that the servers did not tell.
    mutating func cancel() { meanwhile = nil }

    /// Whether something may be sent. Together, all nodes have no more on their way than there is room for.
    /// - Parameters:
    ///   - size: its bytes.
    ///   - waiting: the bytes that this node has on its way.
    func admits(_ size: Int, beside waiting: Int) -> Admission {
        guard let limit else { return .yes }
        // Half of a share, for a single message, too: who is about to send may not have heard of what others have stored
        // meanwhile.
        let (share, size) = (max(limit - bytes, 0) / nodes / 2, Int64(size + 4 * Self.overhead))
        if size > share { return .no }
        return Int64(waiting) + size <= share ? .yes : .later
    }
}
