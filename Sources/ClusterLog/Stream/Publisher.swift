import EventLog
import Locking
import Posix
import Synchronization

/// Publishes this node's commands, and keeps who waits for them until they come back with the stream: then they are carried
/// out here as everywhere. What the servers refuse, or do not answer, is told at once.
final class Publisher: Sendable {
    /// Whom to tell how it went.
    enum Completion: Sendable {
        case append([EventDraft], @Sendable (Result<AppendReceipt, EventLogError>) -> Void)
        case change(@Sendable (Result<Applied, EventLogError>) -> Void)
        /// Told its place in the stream when the servers have it: it may be removed before it comes back.
        case storing(@Sendable (Result<UInt64, EventLogError>) -> Void)

        func fail(_ error: EventLogError) {
            switch self {
            case .append(_, let acknowledge): acknowledge(.failure(error))
            case .change(let complete): complete(.failure(error))
            case .storing(let complete): complete(.failure(error))
            }
        }
    }

    private struct Pending {
        let completion: Completion
        let bytes: Int
        let sent: ContinuousClock.Instant
        /// Whether the servers have it, so that it comes back as soon as this node has taken what is before it.
        var isStored = false
        /// What is sent again if there was no room for it: nil for what is refused then.
        let message: (bytes: [UInt8], subject: String)?
        /// How often it was refused for want of room, and whether it waits to be sent again.
        var refusals = 0
        var isWaitingForRoom = false
    }

    private struct State {
        var number: UInt64 = 0
        var pending: [UInt64: Pending] = [:]
        var bytes = 0
        /// When the servers last took something, or it came back.
        var progressed = ContinuousClock.now
        /// The last of what came back.
        var back: UInt64 = 0
        /// When they last refused something for want of room.
        var refused: ContinuousClock.Instant?
        var isClosed = false
    }

    private let connection: NATSConnection
    private let inbox: String
    private let node: NodeID
    private let limit: Int
    private let state = Lock(State())
    /// What the servers have room for.
    let room = Lock(Room())
    private let isRefused = Atomic(false)
    private let news = Semaphore()

    /// How often what is no append is sent before it is refused for want of room.
    private static let tries = 6
    /// For how long a command may go without any sign that the servers take any.
    static let stallTimeout = Duration.milliseconds(850)
    /// For how long it may take although they do.
    static let longest = Duration.seconds(10)
    /// What a message may take beside the command.
    private static let overhead = 1_024

    /// - Parameter limit: the bytes that may wait; appends beyond are refused.
    init(_ connection: NATSConnection, node: NodeID, limit: Int) {
        self.connection = connection
        self.node = node
        self.limit = limit
        inbox = "\(NATSConnection.inbox).\(node.bits)"
    }

    /// Bytes that wait to be acknowledged.
    var waitingBytes: Int { state.withLock { $0.bytes } }

    /// Whether the servers can be reached, as far as is known.
    var isConnected: Bool { connection.isConnected }

    /// How often the connection was made anew.
    var reconnects: Int { connection.reconnects }

    var isEmpty: Bool { state.withLock { $0.pending.isEmpty } }

    /// The most bytes of one command.
    var maximumBytes: Int { max(connection.maximumPayload - Self.overhead, 0) }

    /// Publishes a command; what it comes to is told on another thread, or on this one if it is refused.
    func send(
        _ command: Command,
        to subject: String,
        isBounded: Bool = false,
        _ completion: Completion
    ) {
        let number = nextNumber()
        let bytes = Envelope(node: node, number: number, command: command).bytes
        send(bytes, number, to: subject, isBounded: isBounded, completion)
    }

    /// Publishes a change, and waits until this node has carried it out.
    func perform(_ command: Command, to subject: String) async throws(EventLogError) -> Applied {
        let result: Result<Applied, EventLogError> = await withCheckedContinuation { continuation in
            send(command, to: subject, .change { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    /// Publishes what is no command.
    func send(_ bytes: [UInt8], to subject: String, _ completion: Completion) {
        send(bytes, nextNumber(), to: subject, isBounded: false, completion)
    }

    private func nextNumber() -> UInt64 {
        state.withLock { state -> UInt64 in
            state.number += 1
            return state.number
        }
    }

    private func send(
        _ bytes: [UInt8],
        _ number: UInt64,
        to subject: String,
        isBounded: Bool,
        _ completion: Completion
    ) {
        if let refusal = admit(number, bytes, to: subject, isBounded: isBounded, completion) {
            return completion.fail(refusal)
        }
        publish(bytes, number, to: subject)
    }

    private func publish(_ bytes: [UInt8], _ number: UInt64, to subject: String) {
        do throws(NATSError) {
            try connection.publish(bytes, to: subject, reply: "\(inbox).\(number)")
        } catch {
            take(number)?.fail(EventLogError(error))
        }
    }

    private func admit(
        _ number: UInt64,
        _ bytes: [UInt8],
        to subject: String,
        isBounded: Bool,
        _ completion: Completion
    ) -> EventLogError? {
        if bytes.count > maximumBytes {
            return EventLogError(
                code: .limitReached,
                message: """
                    What is posted together has \(bytes.count) bytes, and the cluster's servers take messages of \
                    \(maximumBytes) (max_payload).
                    """
            )
        }
        let isConnected = connection.isConnected
        let room = room.withLock { $0 }
        return state.withLock { state in
            if state.isClosed { return .isClosed }
            guard isConnected else { return EventLogError(NATSError("not connected")) }
            // One that nothing waits before would otherwise be told to try again for ever.
            if isBounded, state.bytes > 0, state.bytes + bytes.count > limit { return .overloaded }
            if isBounded {
                switch room.admits(bytes.count + subject.utf8.count, beside: state.bytes) {
                case .yes: break
                case .later: return .overloaded
                case .no: return .isFull
                }
            }
            if state.pending.isEmpty { state.progressed = .now }
            let isRepeated = if case .change = completion { true } else { false }
            state.pending[number] = Pending(
                completion: completion,
                bytes: bytes.count,
                sent: .now,
                message: isRepeated ? (bytes, subject) : nil
            )
            state.bytes += bytes.count
            return nil
        }
    }

    /// Takes out who waits for a command that has come back, and is told by the caller; nil if it was told already.
    func takeBack(_ number: UInt64) -> Completion? {
        // Who else writes to the servers may say any number.
        state.withLock { $0.back = max($0.back, min(number, $0.number)) }
        return take(number)
    }

    private func take(_ number: UInt64) -> Completion? {
        state.withLock { state in
            guard let pending = state.pending.removeValue(forKey: number) else { return nil }
            state.bytes -= pending.bytes
            state.progressed = .now
            return pending.completion
        }
    }

    /// Takes no more commands.
    func close() { state.withLock { $0.isClosed = true } }

    /// Has nobody wait any longer.
    func failAll(_ error: EventLogError) {
        let waiting = state.withLock { state in
            defer { (state.pending, state.bytes) = ([:], 0) }
            return state.pending.values.map(\.completion)
        }
        for completion in waiting { completion.fail(error) }
    }

    /// Hears the servers' answers, and sees to what goes unanswered, until told to stop.
    func run(until isStopped: @escaping @Sendable () -> Bool) throws -> [Thread] {
        let answers = try connection.subscribe(to: "\(inbox).*")
        let hearing = try Thread(name: "clarion-acks") { [self] in
            while !isStopped() {
                if let message = try? answers.next(atMost: 50) { hear(message) }
            }
        }
        // Not between two answers: libnats waits by the clock of the day, which may be set back meanwhile.
        let looking = try Thread(name: "clarion-overdue") { [self] in
            while !isStopped() {
                failOverdue(at: .now)
                _ = Semaphore().wait(atMost: .milliseconds(50))
            }
        }
        return [hearing, looking]
    }

    private func hear(_ message: NATSMessage) {
        guard let digits = message.subject.split(separator: ".").last, let number = UInt64(digits) else { return }
        if message.status != nil {
            // Nobody listens: no server leads the stream at the moment.
            take(number)?.fail(EventLogError(NATSError("no server takes what is published (\(message.status ?? ""))")))
        } else if message.data.saysError {
            refuse(number, Self.refusal(message.data))
        } else {
            // It comes back with the stream, in its turn.
            let isAwaited = state.withLock { state in
                state.progressed = .now
                state.pending[number]?.isStored = true
                if case .storing? = state.pending[number]?.completion { return false }
                return true
            }
            if !isAwaited, case .storing(let complete)? = take(number) {
                let sequence = (try? StreamAPI.answer(message.data))?.seq
                complete(sequence.map { .success($0) } ?? .failure(.unanswered))
            }
        }
    }

    /// What was refused for want of room, and is no append, waits until somebody has seen to that.
    private func refuse(_ number: UInt64, _ error: EventLogError) {
        guard error.code == .storageFull else {
            take(number)?.fail(error)
            return
        }
        let (isWaiting, isOfReserve) = state.withLock { state -> (Bool, Bool) in
            state.refused = .now
            if case .storing? = state.pending[number]?.completion { return (false, true) }
            guard let pending = state.pending[number], pending.message != nil, pending.refusals < Self.tries else {
                return (false, false)
            }
            state.pending[number]?.refusals += 1
            state.pending[number]?.isWaitingForRoom = true
            return (true, false)
        }
        if !isWaiting { take(number)?.fail(error) }
        if isOfReserve { return }
        isRefused.store(true, ordering: .releasing)
        news.signal()
    }

    /// Whether something was refused for want of room of late.
    func hasRefused(within time: Duration) -> Bool {
        state.withLock { $0.refused.map { .now - $0 < time } ?? false }
    }

    /// Waits until something is refused for want of room.
    /// - Returns: whether something was.
    func waitForRefusal(atMost duration: Duration) -> Bool {
        _ = news.wait(atMost: duration)
        return isRefused.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// Sends what waits for room once more.
    func sendAgain() {
        let waiting = state.withLock { state in
            let numbers = state.pending.filter { $0.value.isWaitingForRoom }.keys.sorted()
            if !numbers.isEmpty { state.progressed = .now }
            return numbers.compactMap { number -> (number: UInt64, message: (bytes: [UInt8], subject: String))? in
                state.pending[number]?.isWaitingForRoom = false
                return state.pending[number]?.message.map { (number, $0) }
            }
        }
        for (number, message) in waiting { publish(message.bytes, number, to: message.subject) }
    }

    private func failOverdue(at now: ContinuousClock.Instant) {
        let overdue = state.withLock { state -> [Completion] in
            let isStuck = now - state.progressed > Self.stallTimeout
            let numbers = state.pending.filter {
                let age = now - $0.value.sent
                let isAwaited = !$0.value.isStored && !$0.value.isWaitingForRoom
                // What was sent later is there, and this is not: a server that leads no more had it.
                let isOvertaken = $0.key < state.back && $0.value.refusals == 0
                return age > Self.longest || (isStuck || isOvertaken) && age > Self.stallTimeout && isAwaited
            }.keys
            return numbers.compactMap { number in
                guard let pending = state.pending.removeValue(forKey: number) else { return nil }
                state.bytes -= pending.bytes
                return pending.completion
            }
        }
        for completion in overdue { completion.fail(.unanswered) }
    }

    /// Why the servers did not store a message (`errors.json` of nats-server).
    static func refusal(_ answer: [UInt8]) -> EventLogError {
        let fault = (try? StreamAPI.answer(answer))?.error
        let text = fault?.description ?? "the server does not say why"
        switch fault?.errCode {
        case 10_002, 10_023, 10_047, 10_077, 10_122: return EventLogError(code: .storageFull, message: text)
        case 10_054: return EventLogError(code: .limitReached, message: text)
        case 10_071: return EventLogError(code: .valueChanged, message: text)
        default: return EventLogError(NATSError(text))
        }
    }
}

extension [UInt8] {
    /// Whether the answer says that something went wrong: most do not, and are not read any further.
    var saysError: Bool {
        // As the name of a member: a domain of JetStream may be called so as well.
        let word = Array("\"error\":".utf8)
        guard count >= word.count else { return false }
        return indices.dropLast(word.count - 1).contains {
            self[$0] == word[0] && self[$0..<$0 + word.count].elementsEqual(word)
        }
    }
}
