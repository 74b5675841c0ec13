import EventLog
import Locking
import Posix
import Synchronization

/// Hears the whole stream, each message once and in its order, for as long as the node lives: whenever something is missing or
/// silence lasts too long, it begins anew after the last message it has taken.
final class Follower: Sendable {
    private let stream: StreamAPI
    private let replica: Replica
    private let clock: StreamClock
    private let inbox: String
    private let isStopped: @Sendable () -> Bool
    private let unread = Lock<String?>(nil)

    /// How often the server is heard of when there is nothing to send.
    private static let heartbeat: Int64 = 250
    /// The silence after which the consumer is taken for lost.
    private static let silence = Duration.milliseconds(1_250)

    init(
        _ stream: StreamAPI,
        into replica: Replica,
        by clock: StreamClock,
        until isStopped: @escaping @Sendable () -> Bool
    ) {
        self.stream = stream
        self.replica = replica
        self.clock = clock
        inbox = "\(NATSConnection.inbox).\(replica.node.bits).stream"
        self.isStopped = isStopped
    }

    /// Why the node does not take what comes next; nil if nothing but the servers keeps it from that.
    var trouble: String? { unread.withLock { $0 } }

    func run() {
        var (turn, confirmation, isUnsure) = (0, LossConfirmation(), true)
        while !isStopped() {
            turn += 1
            // What fails is tried again. Who looks at how far the node has come sees it.
            if stream.connection.isConnected, replica.fault == nil {
                try? follow(to: "\(inbox).\(turn)", &confirmation, &isUnsure)
            }
            if !isStopped() { _ = Semaphore().wait(atMost: trouble == nil ? .milliseconds(50) : .seconds(1)) }
        }
    }

    /// Follows until something is missing.
    /// - Parameter isUnsure: see ``learn(before:_:)``.
    private func follow(
        to subject: String,
        _ confirmation: inout LossConfirmation,
        _ isUnsure: inout Bool
    ) throws {
        let found = try stream.read()
        guard found.epoch == replica.epoch else {
            return replica.fail("The stream of the log is another one than when this node started.")
        }
        guard try goesOn(to: found.last, &confirmation) else { return }
        // Before anything is sent, which could not be taken, and would be sent again each time.
        if trouble != nil || isUnsure { try learn() }
        let removed = try stream.removed()
        let messages = try stream.connection.subscribe(to: subject)
        try clock.set { try stream.consume(from: replica.taken + 1, to: subject, heartbeat: Self.heartbeat) }
        var number: UInt64 = 0
        var heard = ContinuousClock.now
        while !isStopped(), replica.fault == nil {
            guard let message = try messages.next(atMost: 100) else {
                if ContinuousClock.now - heard > Self.silence { return }
                continue
            }
            heard = .now
            // What the server says itself is not of the stream, where anybody may have written what looks like it.
            guard let delivered = Delivered(message.reply) else {
                switch message.status {
                case "100": guard try answer(message, after: number) else { return }
                // One of the stream that is not to be had this way: it is asked for before the next.
                case "503": number += 1
                default: return
                }
                continue
            }
            guard delivered.number == number + 1 else { return }
            number = delivered.number
            // A server that is behind the others may begin before what it was asked for (nats-server before 2.11).
            guard delivered.sequence > replica.taken else { continue }
            try takeMissing(before: delivered, but: removed, &isUnsure)
            try learn(before: delivered, &isUnsure)
            replica.take(message.data, of: message.subject, delivered)
        }
    }

    /// Takes what the consumer has left out: when a message replaces others, nats-server 2.9 may move a consumer past one that it
    /// has not sent yet, and count on as if nothing were missing. As a rule what is missing was removed.
    private func takeMissing(
        before delivered: Delivered,
        but removed: Set<UInt64>,
        _ isUnsure: inout Bool
    ) throws {
        while replica.fault == nil {
            let rest = (replica.taken + 1)..<delivered.sequence
            guard let next = rest.first(where: { !removed.contains($0) }), let found = try stream.message(from: next),
                found.place.sequence < delivered.sequence
            else { return }
            try learn(before: found.place, &isUnsure)
            replica.take(found.data, of: found.subject, found.place)
        }
    }

    /// Whether the stream goes on from what was taken of it; if it never will, this copy is of no use.
    /// - Parameter last: the place of the stream's newest message.
    private func goesOn(to last: UInt64, _ confirmation: inout LossConfirmation) throws -> Bool {
        guard let taken = replica.last else { return true }
        let place = min(last, taken.sequence)
        let found = try stream.message(from: place)?.place
        let end = StreamEnd(at: last, where: found?.sequence == place ? found : nil, after: taken)
        let isLost = confirmation.take(end, at: .now)
        switch end {
        case .goesOn: return true
        case .isBehind: return false
        case .isLost:
            guard isLost else { return false }
            replica.fail(
                "The servers have lost the end of the log's stream, which this node has: message \(taken.sequence)."
            )
            return false
        }
    }

    /// Asks up to where it is settled what is written, if the next message may hang by one that this node has missed.
    ///
    /// Others may have decided by what was removed also about a message long after it. Whoever removed it has said before up to
    /// where that may be so, and that may have been after this node asked last.
    /// - Parameter isUnsure: whether something was missed since then, or nothing is known yet.
    /// - Throws: also if that message may have been refused, and removed once it was sent: it is to be sent anew.
    private func learn(before next: Delivered, _ isUnsure: inout Bool) throws {
        if next.sequence > replica.taken + 1 { isUnsure = true }
        guard isUnsure, next.sequence > replica.settlement.withLock({ $0.through }) else { return }
        try learn()
        guard next.sequence > replica.settlement.withLock({ $0.through }) else { throw NATSError("it may be removed") }
        isUnsure = false
    }

    /// Asks up to where it is settled what is written.
    /// - Throws: also if what stands there cannot be read: a node says it again within seconds, if one runs that has missed nothing.
    private func learn() throws {
        guard let found = try stream.newest(of: stream.subjects.settled) else { return unread.withLock { $0 = nil } }
        let read = Result { () throws(Envelope.Refusal) in try Envelope(found.data) }
        if case .failure(.later(let version)) = read {
            replica.fail(Replica.fault(of: found.place, in: version))
            throw NATSError("what is settled is of a later version")
        }
        guard case .success(let envelope) = read, case .settle(let sequence, let partly, _) = envelope.command,
            sequence < found.place.sequence
        else {
            let text = """
                What this node must know of the cluster's stream, message \(found.place.sequence) on the subject \(found.subject), was \
                written by no version of this program. It waits for another node to write it anew. If none runs, remove that \
                message (nats stream rmm \(stream.subjects.stream) \(found.place.sequence)): who else may write to the servers?
                """
            let isNews = unread.withLock { unread in
                defer { unread = text }
                return unread != text
            }
            if isNews { replica.report(text) }
            throw NATSError(text)
        }
        unread.withLock { $0 = nil }
        replica.settlement.withLock { $0.settle(through: sequence, partly: partly) }
    }

    /// Answers a heartbeat, or the question whether the node keeps up.
    /// - Returns: false if messages are missing.
    private func answer(_ message: NATSMessage, after number: UInt64) throws(NATSError) -> Bool {
        if !message.reply.isEmpty {
            try stream.connection.publish([], to: message.reply)
            return true
        }
        if let stalled = message.stalled { try stream.connection.publish([], to: stalled) }
        guard let last = message.lastDelivered else { return true }
        guard UInt64(last) == number else { return false }
        // Otherwise there is more, and it waits to be told that what it has sent was taken.
        if message.stalled == nil { replica.rest() }
        return true
    }
}
