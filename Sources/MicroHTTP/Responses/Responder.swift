import Locking
import Synchronization

/// Answers a suspended request, once, from any thread.
///
/// The request is held up until it is used. One that is let go without an answer answers 500 by itself, so that no
/// client waits for ever.
public final class Responder: Sendable {
    /// Who waits for the answer.
    enum Asker {
        /// A client of the server.
        ///
        /// `takesInterim` says whether it takes interim responses: it speaks HTTP/1.1.
        case client(SuspendedConnection, takesInterim: Bool)
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
        // Evaluated only if nobody answered.
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
        guard case .client(let connection, let takesInterim) = asker else { return false }
        switch connection.peer.state {
        case .open: return false
        case .gone: return true
        case .halfClosed:
            guard takesInterim else { return ContinuousClock.now - began > Self.halfClosedGrace }
            guard !hasProbed.exchange(true, ordering: .relaxed) else { return false }
            return !connection.sendInterim()
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
        guard answer.set(reply) else { return }
        switch asker {
        case .client(let connection, _): connection.resume()
        case .process(let tell): tell()
        }
    }

    /// Answers with a problem.
    public func respond(_ problem: Problem) {
        let instance = requestID
        respond(problem.response(instance: instance))
    }
}

/// Where the answer to a suspended request waits for libmicrohttpd to ask for it.
final class PendingAnswer: Sendable {
    private enum State {
        case open
        case answered(@Sendable () -> Reply)
        case taken
    }

    private let state = Lock(State.open)

    /// Returns whether this is the first answer.
    func set(_ reply: @escaping @Sendable () -> Reply) -> Bool {
        state.withLock { state in
            guard case .open = state else { return false }
            state = .answered(reply)
            return true
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
