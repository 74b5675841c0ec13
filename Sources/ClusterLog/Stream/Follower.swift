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

    /// How often the server is heard of when there is nothing to send.
    private static let heartbeat: Int64 = 250
    /// The silence after which the consumer is taken for lost.
    private static let silence = Duration.milliseconds(1_250)

    init(
        _ stream: StreamAPI,
        into replica: Replica,
        by clock: StreamClock,
        node: NodeID,
        until isStopped: @escaping @Sendable () -> Bool
    ) {
        self.stream = stream
        self.replica = replica
        self.clock = clock
        inbox = "\(NATSConnection.inbox).\(node.bits).stream"
        self.isStopped = isStopped
    }

    func run() {
        var (turn, confirmation) = (0, LossConfirmation())
        while !isStopped() {
            turn += 1
            // What fails is tried again: there is nobody to tell but those who look at how far the node has come.
            if stream.connection.isConnected, replica.fault == nil {
                try? follow(to: "\(inbox).\(turn)", &confirmation)
            }
            if !isStopped() { Self.rest() }
        }
    }

    /// Follows until something is missing.
    private func follow(to subject: String, _ confirmation: inout LossConfirmation) throws {
        let found = try stream.read()
        guard found.epoch == replica.epoch else {
            return replica.fail("The stream of the log is another one than when this node started.")
        }
        guard try goesOn(to: found.last, &confirmation) else { return }
        try learn()
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
            try takeMissing(before: delivered, but: removed)
            replica.take(message.data, of: message.subject, delivered)
        }
    }

    /// Takes what the consumer has left out: when a message replaces others, nats-server 2.9 may move a consumer past one that it
    /// has not sent yet, and count on as if nothing were missing. As a rule what is missing was removed.
    private func takeMissing(before delivered: Delivered, but removed: Set<UInt64>) throws {
        guard replica.taken + 1 < delivered.sequence else { return }
        // What was removed may have been what others decided by.
        if delivered.sequence > replica.settlement.withLock({ $0.through }) { try learn() }
        while replica.fault == nil {
            let rest = (replica.taken + 1)..<delivered.sequence
            guard let next = rest.first(where: { !removed.contains($0) }), let found = try stream.message(from: next),
                found.place.sequence < delivered.sequence
            else { return }
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

    /// Asks up to where it is settled what is written: a node that comes after others may not find what they decided by.
    private func learn() throws {
        guard let found = try stream.newest(of: stream.subjects.settled) else { return }
        guard let envelope = try? Envelope(found.data), case .settle(let sequence, let partly) = envelope.command,
            sequence < found.place.sequence
        else {
            // Who has heard nothing yet must know it, and waits for a node that says it again.
            if replica.taken > 0 { return }
            throw NATSError("What was written last of what is settled cannot be read.")
        }
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

    private static func rest() {
        _ = Semaphore().wait(atMost: .milliseconds(50))
    }
}
