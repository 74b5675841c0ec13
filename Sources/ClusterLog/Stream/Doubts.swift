import EventLog

/// Which messages of the stream the server that sent them may have for itself alone.
///
/// A server that led, and was stopped or cut off while the others chose another leader, may store what it was sent meanwhile
/// (nats-server 2.9): in places which the others have given to other messages. Nodes that hear the stream from it would hold
/// what no other node does. It has been silent for as long as the others took to choose, and its own messages are later than
/// those that come after them; leases are written every two seconds. What it was sent last may have come to one other server,
/// which then has it alone, before the silence. So what comes after a silence and just before it, and what is later than
/// what comes after it, is compared with what the leader has, when all servers have had time to find out who that is. Pure.
struct Doubts: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct Doubt {
        let message: Delivered
        let since: Instant
        /// When the leader was first found to have another one.
        var differsSince: Instant?
    }

    /// The silence after which messages are doubted, in milliseconds: servers wait for their leader for four seconds.
    static let silence: Int64 = 3_000
    /// How many messages after a silence are: some may be removed before they are compared.
    static let count = 4
    /// How many before it are: those that servers may have had on their way at one moment.
    static let countBefore = 16
    /// For how long a message, or another one in its place, waits until it is looked at (again): a server that goes on finds
    /// out within milliseconds that it does not lead any more, and answers for the leader until then.
    static let gracePeriod = Duration.seconds(2)
    /// How many are kept, the newest: a node that starts hears years of the stream.
    static let most = 256

    /// The newest, in their order.
    private var before: [Delivered] = []
    private var rest = 0
    private var open: [Doubt] = []

    /// Whether there are none. While there are, this node must not remove anything: it may be in the wrong places.
    var isEmpty: Bool { open.isEmpty }

    /// Takes in a message of the stream.
    mutating func take(_ message: Delivered, at now: Instant) {
        defer {
            if before.count == Self.countBefore { before.removeFirst() }
            before.append(message)
        }
        guard let last = before.last else { return }
        let lead = message.time.milliseconds - last.time.milliseconds
        if lead < 0 { doubt(last, at: now) }
        if lead >= Self.silence {
            for message in before { doubt(message, at: now) }
            rest = Self.count
        }
        guard rest > 0 else { return }
        rest -= 1
        doubt(message, at: now)
    }

    private mutating func doubt(_ message: Delivered, at now: Instant) {
        if let last = open.last, last.message.sequence >= message.sequence { return }
        if open.count == Self.most { open.removeFirst() }
        open.append(Doubt(message: message, since: now))
    }

    /// Those to compare now.
    func due(at now: Instant) -> [Delivered] {
        open.filter { now - ($0.differsSince ?? $0.since) >= Self.gracePeriod }.map(\.message)
    }

    /// Takes in what the leader has in the place of a message.
    /// - Parameter found: nil if it has none: it was removed, and tells nothing.
    /// - Returns: whether it certainly is another one.
    mutating func compare(_ message: Delivered, with found: Delivered?, at now: Instant) -> Bool {
        guard let place = open.firstIndex(where: { $0.message.sequence == message.sequence }) else { return false }
        guard let found, abs(found.time.milliseconds - message.time.milliseconds) > 1 else {
            open.remove(at: place)
            return false
        }
        guard open[place].differsSince != nil else {
            open[place].differsSince = now
            return false
        }
        return true
    }

    /// Forgets all: one server alone has the stream.
    mutating func clear() { open = [] }
}
