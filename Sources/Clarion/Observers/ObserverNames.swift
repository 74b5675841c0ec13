import Locking
import MicroHTTP

/// Who may have which id, where clients choose it: one id is never that of a stream and of a webhook at the same time.
///
/// A webhook is registered in steps, between which its endpoint may be asked for its consent. Its id is reserved from the
/// first step to the last: who comes first gets it, and the other is told so (409 `observer-kind`).
///
/// The lock is taken before the directory's own and those of streams; nothing that holds these comes here.
final class ObserverNames: Sendable {
    private struct State {
        /// How many registrations of webhooks are under way for an id.
        var reservations: [ObserverID: Int] = [:]
        var retired = RetiredNames()
    }

    private let state = Lock(State())
    private let directory: ObserverDirectory

    init(directory: ObserverDirectory) {
        self.directory = directory
    }

    /// Carries out the registration of a webhook, during which no stream gets its id.
    ///
    /// - Throws: 409 `observer-kind` if an observer of another kind has it; what the operation throws.
    func reserving<Result>(_ id: ObserverID, _ operation: () async throws -> Result) async throws -> Result {
        let isFree = state.withLock { state in
            guard directory.find(id)?.kind ?? .webhook == .webhook else { return false }
            state.reservations[id, default: 0] += 1
            return true
        }
        guard isFree else { throw Problem.observerKind }
        defer {
            state.withLock { state in
                let count = state.reservations[id] ?? 0
                state.reservations[id] = count > 1 ? count - 1 : nil
            }
        }
        return try await operation()
    }

    /// What becomes of a stream that asks for a name.
    enum Answer {
        case granted
        /// A stream of theirs of this name was unregistered within the last day.
        case retired
        /// A webhook or an object has it, or will have it.
        case taken
        /// Somebody else's stream has it, which who asks may not end.
        case foreign
    }

    /// The stream that has a name.
    func stream(_ name: ObserverID) -> EventStream? { directory.find(name) as? EventStream }

    /// Whether a stream would get a name.
    func answer(for name: ObserverID, to caller: Caller) -> Answer {
        state.withLock { decide(name, for: caller, $0) }
    }

    /// Enters a stream if it may have its name. The stream that has it, if any, ends: a client that reconnects leaves no
    /// ghost.
    func enter(_ stream: EventStream) -> Answer {
        let (answer, displaced) = state.withLock { state -> (Answer, EventStream?) in
            let answer = decide(stream.id, for: stream.caller, state)
            guard case .granted = answer else { return (answer, nil) }
            let displaced = directory.find(stream.id) as? EventStream
            stream.enter(directory)
            displaced?.leave()
            return (answer, displaced)
        }
        displaced?.end(.replaced)
        return answer
    }

    /// Takes a stream off the directory, and its name out of use for who had it, for a day, in one step.
    ///
    /// - Returns: false if it has left before; its name may be another's by now.
    func retire(_ stream: EventStream) -> Bool {
        state.withLock { state in
            guard stream.leave() else { return false }
            state.retired.insert(stream.caller.key(of: stream.id), now: .now)
            return true
        }
    }

    /// Takes a name out of use for a day: its stream was unregistered at another node.
    func retire(_ key: RetiredNames.Key) { state.withLock { $0.retired.insert(key, now: .now) } }

    /// Whether a name is out of use.
    func isRetired(_ key: RetiredNames.Key) -> Bool { state.withLock { $0.retired.contains(key, now: .now) } }

    private func decide(_ name: ObserverID, for caller: Caller, _ state: State) -> Answer {
        if state.retired.contains(caller.key(of: name), now: .now) { return .retired }
        if state.reservations[name] != nil { return .taken }
        guard let present = directory.find(name) else { return .granted }
        guard let stream = present as? EventStream else { return .taken }
        return stream.caller.isSame(as: caller) || caller.manages(stream) ? .granted : .foreign
    }
}
