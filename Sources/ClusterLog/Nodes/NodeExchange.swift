import EventLog
import Locking
import Posix
import Synchronization

/// Asks the other nodes of a cluster what only they know, such as who listens there, and answers their questions. Plain
/// messages of NATS, beside the stream and on a connection of their own: what is said is kept nowhere, no post waits for
/// it, and who does not answer is named.
///
/// ```swift
/// exchange.serve { question in answer(question) }
/// let answers = await exchange.ask(question)
/// ```
public final class NodeExchange: Sendable {
    /// Who asks; a visitor that is no node says nothing of itself.
    private let node: NodeID
    let connection: NATSConnection
    let subjects: Subjects
    private let inbox: String

    private struct State {
        var known = KnownNodes()
        var questions = OpenQuestions()
        /// Nil until the node answers; before, it does not say that it is there.
        var responder: (@Sendable ([UInt8]) -> [UInt8]?)?
        var isCutOff = false
        /// When it last said that it is here.
        var said: ContinuousClock.Instant?
    }

    private let state = Lock(State())
    private let isStopped = Atomic(false)
    private let threads = Lock<[Thread]>([])

    /// For how long answers are waited for: a look at everybody takes half a second at most, with what it takes beside.
    public static let answerTimeout = Duration.milliseconds(450)

    init(to address: ClusterAddress, as node: NodeID) throws {
        self.node = node
        subjects = Subjects(of: address.name)
        inbox = "\(Self.inboxes)\(node.bits).answer"
        connection = try NATSConnection(to: address, as: "clarion-nodes")
        let answers = try connection.subscribe(to: "\(inbox).*", atMost: Self.waiting)
        let heard = try connection.subscribe(to: subjects.nodes, atMost: Self.waiting)
        let started = [
            try Thread(name: "clarion-answers") { [weak self] in
                Self.read(answers, atMost: 20) {
                    self
                } hear: {
                    $0.take($1)
                }
            },
            try Thread(name: "clarion-nodes") { [weak self] in
                Self.read(heard, atMost: 100) {
                    self
                } hear: {
                    $0.hear($1)
                }
            },
        ]
        threads.withLock { $0 = started }
    }

    /// What begins a subject that a node is answered to. Nothing is ever answered to another: that could be one of the stream.
    private static let inboxes = NATSConnection.inbox + "."

    /// What may wait to be read. What comes beyond is lost, and whoever asked names this node.
    private static let waiting = (messages: 65_536, bytes: 64 << 20)

    /// The name of this node.
    public var name: String { node.name }

    /// The most bytes of a question or an answer.
    public var maximumBytes: Int { max(connection.maximumPayload - NodeMessage.headBytes - 1_024, 0) }

    /// The other nodes that are known, by their names, in order.
    public var others: [String] { state.withLock { $0.known.all }.map(\.name).sorted() }

    /// Answers questions from now on, and says to all that this node is there.
    /// - Parameter responder: makes the answer, of at most ``maximumBytes``; nil for none. Called on a thread that hears others
    ///   meanwhile only when it is done.
    public func serve(_ responder: @escaping @Sendable ([UInt8]) -> [UInt8]?) {
        state.withLock { $0.responder = responder }
        say(.new)
    }

    /// Asks all other nodes.
    /// - Parameters:
    ///   - question: at most ``maximumBytes``.
    ///   - timeout: for how long answers are waited for. Nodes that have been silent for some seconds are not waited for.
    ///   - isOpenEnded: whether to wait that long in any case, since there may be nodes that are not known.
    ///   - isEnough: whether an answer makes all others superfluous.
    public func ask(
        _ question: [UInt8],
        atMost timeout: Duration = NodeExchange.answerTimeout,
        isOpenEnded: Bool = false,
        until isEnough: (@Sendable ([UInt8]) -> Bool)? = nil
    ) async -> NodeAnswers {
        await withCheckedContinuation { continuation in
            let now = ContinuousClock.now
            let isPossible = connection.isConnected && question.count <= maximumBytes
            let (number, known, canAsk) = state.withLock { state -> (UInt64?, Set<NodeID>, Bool) in
                // Here: what is added after all were ended would never be.
                let canAsk = isPossible && !isStopped.load(ordering: .acquiring)
                let (all, talking) = (state.known.all, state.known.talking(at: now))
                guard canAsk, isOpenEnded || !talking.isEmpty else { return (nil, all, canAsk) }
                let number = state.questions.add(
                    awaiting: talking,
                    silent: all.subtracting(talking),
                    until: now + timeout,
                    isOpenEnded: isOpenEnded,
                    isEnough: isEnough,
                    tell: { continuation.resume(returning: $0) }
                )
                return (number, all, canAsk)
            }
            // Nobody to wait for; who is silent may hear it yet.
            if canAsk { send(question, number: number ?? 0) }
            guard number == nil else { return }
            let missing = known.map(\.name).sorted()
            continuation.resume(returning: NodeAnswers(said: [:], missing: canAsk && missing.isEmpty ? nil : missing))
        }
    }

    /// Tells all other nodes, and waits for nobody.
    public func tell(_ message: [UInt8]) { send(message, number: 0) }

    private func send(_ question: [UInt8], number: UInt64) {
        // What is not sent is not answered, and whoever waits is told so in time.
        try? connection.publish(
            NodeMessage.bytes(from: node, question),
            to: subjects.question,
            reply: "\(inbox).\(number)"
        )
    }

    /// Leaves: others know at once, and whoever waits is told what there is.
    func leave() {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if connection.isConnected, state.withLock({ $0.responder != nil }) {
            say(.leaving)
            connection.flush()
        }
        for telling in state.withLock({ $0.questions.endAll() }) { telling.tell(telling.answers) }
        // Wakes who waits for a message: libnats would until a time of day, from which the clock may be far.
        connection.close()
        for thread in threads.withLock({ $0 }) { thread.join() }
    }

    private func say(_ notice: NodeNotice) {
        try? connection.publish(NodeMessage.notice(notice, from: node), to: subjects.presence)
    }

    // MARK: On the threads

    /// Reads until there is nobody to read for.
    private static func read(
        _ subscription: NATSSubscription,
        atMost milliseconds: Int64,
        for exchange: () -> NodeExchange?,
        hear: (NodeExchange, NATSMessage) -> Void
    ) {
        var looked = ContinuousClock.now
        while true {
            let message: NATSMessage?
            do {
                message = try subscription.next(atMost: milliseconds)
            } catch {
                message = nil
                _ = Semaphore().wait(atMost: .milliseconds(milliseconds))
            }
            guard let exchange = exchange(), !exchange.isStopped.load(ordering: .acquiring) else { return }
            if let message { hear(exchange, message) }
            let now = ContinuousClock.now
            guard now - looked >= .milliseconds(milliseconds) else { continue }
            looked = now
            exchange.look(at: now)
        }
    }

    /// What is due.
    private func look(at now: ContinuousClock.Instant) {
        let isConnected = connection.isConnected
        let (overdue, isDue) = state.withLock { state in
            // While nothing can be heard of anybody, nobody is forgotten.
            if isConnected, state.isCutOff { state.known.excuse(at: now) }
            state.isCutOff = !isConnected
            if isConnected { state.known.forget(at: now) }
            let isDue =
                isConnected && state.responder != nil && state.said.map { now - $0 >= KnownNodes.interval } ?? true
            if isDue { state.said = now }
            return (state.questions.expire(at: now), isDue)
        }
        for telling in overdue { telling.tell(telling.answers) }
        if isDue { say(.here) }
    }

    private func take(_ message: NATSMessage) {
        guard let number = message.subject.split(separator: ".").last.flatMap({ UInt64($0) }),
            let (node, body) = NodeMessage.parse(message.data)
        else { return }
        let answer = Array(body)
        let isEnough = state.withLock { $0.questions.sufficiency(of: number) }?(answer) ?? false
        let telling = state.withLock { $0.questions.take(answer, from: node, to: number, isEnough: isEnough) }
        if let telling { telling.tell(telling.answers) }
    }

    private func hear(_ message: NATSMessage) {
        if message.subject == subjects.presence {
            guard let (node, notice) = NodeMessage.parseNotice(message.data), node != self.node else { return }
            hear(notice, of: node)
        } else if message.subject == subjects.question {
            answer(message)
        }
    }

    private func hear(_ notice: NodeNotice, of node: NodeID) {
        switch notice {
        case .here, .new:
            let isServing = state.withLock { state in
                state.known.hear(node, at: .now)
                return state.responder != nil
            }
            if notice == .new, isServing { say(.here) }
        case .leaving:
            let tellings = state.withLock { state in
                state.known.leave(node)
                return state.questions.leave(node)
            }
            for telling in tellings { telling.tell(telling.answers) }
        }
    }

    private func answer(_ message: NATSMessage) {
        guard let (node, body) = NodeMessage.parse(message.data), node != self.node,
            message.reply.hasPrefix(Self.inboxes), let responder = state.withLock({ $0.responder }),
            let answer = responder(Array(body))
        else { return }
        try? connection.publish(NodeMessage.bytes(from: self.node, answer), to: message.reply)
    }
}
