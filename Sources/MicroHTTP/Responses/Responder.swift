import Locking
import Synchronization

/// Answers a request later, once, from any thread.
///
/// The request is held up until it is used. One that is let go without an answer answers 500 by itself, so that no
/// client waits for ever.
public final class Responder: Sendable {
    /// Who waits for the answer.
    enum Asker {
        /// A client of the server.
        case client(WaitingClient)
        /// A part of the process, which is told when the answer is there.
        case process(@Sendable () -> Void)
    }

    private let answer: PendingAnswer
    private let asker: Asker
    private let requestID: String
    private let hasProbed = Atomic<Bool>(false)
    private let began = ContinuousClock.now

    /// How long a client of HTTP/1.0 that has closed its half is taken for one that waits.
    private static let halfClosedGrace = Duration.seconds(2)

    init(answer: PendingAnswer, for asker: Asker, requestID: String) {
        self.answer = answer
        self.asker = asker
        self.requestID = requestID
    }

    deinit {
        guard answer.isMissing else { return }
        let instance = requestID
        respond(
            Problem(.internalError, code: "internal", detail: "The request was not answered.")
                .response(instance: instance)
        )
    }

    /// Whether nobody waits for the answer any more, so that long work for it can stop. To be asked only before it is
    /// answered, by the one that answers, now and then: it costs a system call.
    ///
    /// A client that has closed its half of the connection may still wait, or be gone altogether; the kernel does not
    /// know which. It is sent an interim response once (RFC 9110 section 15.2: every client of HTTP/1.1 takes them, also
    /// unasked), which has the kernel of one that is gone reset the connection. One of HTTP/1.0
    /// cannot be asked: it counts as gone after two seconds.
    public var isAbandoned: Bool {
        guard case .client(let client) = asker else { return false }
        return answer.isAbandoned { isGone(client) }
    }

    private func isGone(_ client: WaitingClient) -> Bool {
        switch client.peer.state {
        case .open: return false
        case .gone: return true
        case .halfClosed:
            guard client.takesInterim else { return ContinuousClock.now - began > Self.halfClosedGrace }
            guard !hasProbed.exchange(true, ordering: .relaxed) else { return false }
            return !client.sendInterim()
        }
    }

    /// Answers. Only the first answer counts.
    ///
    /// - Parameter response: evaluated later, on a server thread: whoever answers many requests in a row, such as the
    ///   thread that commits them, does not pay for writing the answers.
    public func respond(_ response: @autoclosure @escaping @Sendable () -> Response) {
        reply { .now(response()) }
    }

    /// Answers with a reply of any kind, such as a stream.
    ///
    /// - Parameter reply: evaluated later, on a server thread, which it must not block; never if the client is gone by
    ///   then, so that what it opens has somebody who reads it.
    public func reply(_ reply: @escaping @Sendable () -> Reply) {
        switch (answer.set(reply), asker) {
        case (.resume(let connection), _): connection.resume()
        case (.kept, .process(let tell)): tell()
        case (.kept, .client), (.late, _): break
        }
    }

    /// Answers with a problem.
    public func respond(_ problem: Problem) {
        let instance = requestID
        respond(problem.response(instance: instance))
    }
}

/// Where the answer to a request waits for libmicrohttpd to ask for it.
final class PendingAnswer: Sendable {
    private enum State {
        case open
        case awaited(SuspendedConnection)
        case answered(@Sendable () -> Reply)
        case taken
        /// Nobody asks for it any more: the connection has ended.
        case abandoned
    }

    /// What is to be done about an answer.
    enum Outcome {
        /// It is taken by who asked.
        case kept
        /// The connection waits for it, suspended.
        case resume(SuspendedConnection)
        /// It is not the first, or nobody is left who asks for it.
        case late
    }

    private let state = Lock(State.open)

    /// Whether nobody has answered.
    var isMissing: Bool {
        state.withLock { state in
            switch state {
            case .open, .awaited: true
            case .answered, .taken, .abandoned: false
            }
        }
    }

    func set(_ reply: @escaping @Sendable () -> Reply) -> Outcome {
        state.withLock { state in
            switch state {
            case .open:
                state = .answered(reply)
                return .kept
            case .awaited(let connection):
                state = .answered(reply)
                return .resume(connection)
            case .answered, .taken, .abandoned: return .late
            }
        }
    }

    /// Has the answer resume a connection. Returns false, and does nothing, if it is there already.
    func wait(_ connection: SuspendedConnection) -> Bool {
        state.withLock { state in
            guard case .open = state else { return false }
            state = .awaited(connection)
            return true
        }
    }

    /// The connection has ended before it was suspended. From then on its socket is another's.
    func abandon() {
        // An answer that is there is let go outside the lock: what it holds may look at this.
        let former = state.withLock { state in
            defer { state = .abandoned }
            return state
        }
        withExtendedLifetime(former) {}
    }

    /// Whether nobody asks for it any more.
    ///
    /// - Parameter isGone: asks the client's socket, at once: the connection does not end meanwhile, as ``abandon()`` waits for
    ///   the lock. Not called once that was done, or the answer is there.
    func isAbandoned(_ isGone: () -> Bool) -> Bool {
        state.withLock { state in
            switch state {
            case .open, .awaited: isGone()
            case .answered, .taken: false
            case .abandoned: true
            }
        }
    }

    func take() -> Reply? {
        let reply: (@Sendable () -> Reply)? = state.withLock { state in
            guard case .answered(let reply) = state else { return nil }
            state = .taken
            return reply
        }
        return reply?()
    }
}
