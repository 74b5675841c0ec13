import EventLog
import Locking
import Posix
import Synchronization

/// Looks at the stream every two seconds, and sees to what it finds: whether this node takes what it holds and its servers hold
/// the same, whether somebody has set it so that it loses messages, and whether there is room, for which it keeps a ``Reserve``.
final class StreamWatch: Sendable {
    private let stream: StreamAPI
    private let replica: Replica
    private let exchange: NodeExchange
    private let inbox: String

    /// What the thread knows.
    private struct Memory {
        var progress = StreamProgress()
        var looked: ContinuousClock.Instant?
        /// When it was last tried to fill the reserve.
        var tried: ContinuousClock.Instant?
        /// Since when the stream cannot be read.
        var unread: ContinuousClock.Instant?
        /// The line that was written of it last.
        var told: String?
        /// When something was first refused after the reserve had been given up.
        var refused: ContinuousClock.Instant?
    }

    /// How often it looks.
    private static let interval = Duration.seconds(2)
    /// How often it is tried to fill the reserve where nobody can tell whether there is room, which others may have made, and
    /// how often it is looked whether it is still there.
    private static let retry = Duration.seconds(30)

    init(_ stream: StreamAPI, _ replica: Replica, _ exchange: NodeExchange) {
        (self.stream, self.replica, self.exchange) = (stream, replica, exchange)
        inbox = "\(NATSConnection.inbox).\(replica.node.bits).reserve"
    }

    func run(until isStopped: () -> Bool) {
        var memory = Memory()
        while !isStopped() {
            if replica.publisher.waitForRefusal(atMost: .milliseconds(100)) {
                // What cannot be done now is tried at the next refusal.
                try? giveUp(&memory)
                replica.publisher.sendAgain()
            }
            // Each time: until they hear of each other, nodes that have just started would each take all of the room.
            replica.publisher.room.withLock { $0.share(among: exchange.others.count + 1) }
            let now = ContinuousClock.now
            if let looked = memory.looked, now - looked < Self.interval { continue }
            memory.looked = now
            look(&memory, at: now)
        }
    }

    private func look(_ memory: inout Memory, at now: ContinuousClock.Instant) {
        replica.publisher.room.withLock { $0.begin() }
        defer { replica.publisher.room.withLock { $0.cancel() } }
        let found = read(&memory, at: now)
        if let lossy = found?.lossySettings {
            let fault = Self.fault(of: stream.subjects.stream, lossy)
            replica.fail(fault)
            replica.report(fault)
        }
        let isStuck = memory.progress.isStuck(taken: replica.taken, last: found?.last, at: now)
        if replica.setStuck(isStuck), isStuck {
            replica.report(
                """
                What is written to the cluster's log does not come back to this node: it takes no posts, and delivers nothing. \
                If the servers have users with permissions, see that they are those of docs/clustering.md.
                """
            )
        }
        guard let found else { return }
        replica.settlePassedOver(to: stream.subjects)
        // What cannot be compared now is the next time.
        try? compare(at: now, isReplicated: (found.config.numReplicas ?? 1) > 1)
        let bytes = found.bytes
        // What the account has cannot be asked now: it is the next time.
        try? measure(found)
        let (isGivenUp, isScarce, hasRoom) = replica.reserve.withLock {
            ($0.isGivenUp, $0.isScarce(at: bytes), $0.hasRoom(at: bytes))
        }
        replica.setScarce(isScarce)
        // One of the nodes sees to it.
        guard replica.keeper.duty.contains(.first) else { return }
        let isDue = memory.tried.map { now - $0 >= Self.retry } ?? true
        guard isDue || isGivenUp && hasRoom else { return }
        memory.tried = now
        // What cannot be done now is tried again.
        if isGivenUp { try? fill() } else { try? fillUnlessThere() }
    }

    /// The stream; nil if it cannot be read now. What does not pass by itself is told, once.
    private func read(_ memory: inout Memory, at now: ContinuousClock.Instant) -> StreamAPI.Stream? {
        guard replica.publisher.isConnected, replica.fault == nil else {
            memory.unread = nil
            return nil
        }
        let result = Result { try stream.read() }
        var line: String?
        if stream.connection.isRefused || exchange.connection.isRefused {
            line = """
                The servers refuse this node something for want of permission: see that those of their users are what \
                docs/clustering.md says.
                """
        } else if case .failure(let error) = result {
            let since = memory.unread ?? now
            memory.unread = since
            guard now - since >= Self.patience else { return nil }
            line = "The stream of the cluster's log cannot be read: \((error as? EventLogError)?.message ?? "\(error)")"
        }
        if case .success = result { memory.unread = nil }
        if let line, line != memory.told { replica.report(line) }
        memory.told = line
        return try? result.get()
    }

    /// How long servers may be busy with themselves, such as choosing who leads.
    private static let patience = Duration.seconds(30)

    /// Why a log whose servers remove messages by themselves is not to be used.
    static func fault(of stream: String, _ settings: String) -> String {
        """
        The servers' settings of the stream \(stream) have them remove what was acknowledged (\(settings)): nodes would not \
        hold the same, and webhooks would be lost. Unset them (nats stream edit), bound topics by --retention-… instead, and \
        start the nodes anew.
        """
    }

    /// Tells the publisher what there is room for.
    private func measure(_ found: StreamAPI.Stream) throws {
        let limit = try stream.accountLimit(of: found)
        replica.publisher.room.withLock { $0.look(limit: limit, bytes: found.bytes, last: found.last) }
    }

    /// Compares what a server may have for itself alone with what the leader has.
    private func compare(at now: ContinuousClock.Instant, isReplicated: Bool) throws {
        guard isReplicated else { return replica.doubts.withLock { $0.clear() } }
        for message in replica.doubts.withLock({ $0.due(at: now) }) {
            let found = try stream.message(from: message.sequence)?.place
            let other = found?.sequence == message.sequence ? found : nil
            guard replica.doubts.withLock({ $0.compare(message, with: other, at: now) }) else { continue }
            let fault = Self.fault(of: stream.subjects.stream, at: message.sequence)
            replica.fail(fault)
            return replica.report(fault)
        }
    }

    /// Why a log whose servers hold different messages is not to be used.
    static func fault(of stream: String, at sequence: UInt64) -> String {
        """
        The servers hold different messages in the same place of the stream \(stream): the one that this node heard has had \
        message \(sequence) for itself since it led alone. Start the node anew; docs/clustering.md says what to do with the server.
        """
    }

    // MARK: The reserve

    /// Makes room. At first only for the word that no events are to be appended any more: what nodes have on their way by then
    /// may be more than the whole reserve. From a second after that on, a quarter of the rest at each refusal.
    private func giveUp(_ memory: inout Memory) throws {
        let (isGivenUp, fillers) = replica.reserve.withLock { ($0.isGivenUp, $0.fillers) }
        let sequences = fillers.keys.sorted()
        if isGivenUp {
            let since = memory.refused ?? .now
            memory.refused = since
            guard ContinuousClock.now - since > Self.clearance else {
                _ = Semaphore().wait(atMost: Self.rest)
                return
            }
            return try remove(Array(sequences.prefix(max(sequences.count / 4, 1))))
        }
        memory.refused = nil
        if sequences.isEmpty { return }
        let message = Reserve.Message.givenUp(
            bytes: UInt64(clamping: fillers.values.reduce(0, +)),
            full: try stream.read().bytes
        )
        for sequence in sequences {
            try remove([sequence])
            if (try? store(message)) != nil { return }
        }
    }

    /// After how long nothing is under way any more that was appended before all knew: what is not stored by then was refused.
    private static let clearance = Duration.seconds(1)
    /// How long what was refused meanwhile waits until it is sent again.
    private static let rest = Duration.milliseconds(300)

    /// Fills it if there is none yet, or it is gone.
    private func fillUnlessThere() throws {
        if let first = replica.reserve.withLock({ $0.fillers.keys.min() }),
            try stream.message(from: first)?.place.sequence == first
        {
            return
        }
        try fill()
    }

    /// Writes what takes up room: twice as much as is kept, if it was given up before. All of it, or nothing is left of it.
    private func fill() throws {
        let (isGivenUp, before) = replica.reserve.withLock { ($0.isGivenUp, $0.fillers.keys.sorted()) }
        try remove(before)
        let limit = try stream.byteLimit()
        let (count, bytes) = Reserve.plan(
            limit: limit.bytes,
            most: replica.publisher.maximumBytes,
            isReplicated: limit.isReplicated
        )
        var written: [UInt64] = []
        do {
            for _ in 0..<(isGivenUp ? 2 * count : count) { written.append(try store(.filler(bytes: bytes))) }
            try remove(Array(written.dropFirst(count)))
            _ = try store(.filled(from: written[0], through: written[count - 1]))
        } catch {
            try? remove(written)
            // What this node wrote for want of room goes through now.
            replica.publisher.sendAgain()
            throw error
        }
    }

    private func remove(_ sequences: [UInt64]) throws {
        try stream.remove(sequences, answeringTo: inbox)
        replica.reserve.withLock { $0.forget(sequences) }
    }

    /// Writes a message of the reserve.
    /// - Returns: its place.
    private func store(_ message: Reserve.Message) throws -> UInt64 {
        try Waiting.wait { [replica, stream] () async throws(EventLogError) in
            let result: Result<UInt64, EventLogError> = await withCheckedContinuation { continuation in
                replica.publisher.send(
                    message.bytes,
                    to: stream.subjects.reserve,
                    .storing { continuation.resume(returning: $0) }
                )
            }
            return try result.get()
        }
    }
}
