import Access
import EventLog
import Locking

/// Ends streams whose credentials do not count any more: at their end, and when they were taken back.
///
/// A stream ends in order, never inside a frame; its client comes back with what it has, and is told 401 then.
final class StreamExpiry: Sendable {
    private struct Entry {
        let expires: Timestamp
        weak var stream: EventStream?
    }

    /// How often those that end by themselves are looked at.
    private static let interval = Duration.milliseconds(250)

    private let credentials: Credentials
    private let directory: ObserverDirectory
    private let entries = Lock<[Entry]>([])

    init(_ credentials: Credentials, _ directory: ObserverDirectory) {
        self.credentials = credentials
        self.directory = directory
    }

    /// Watches a stream that has just been entered into the directory; one that came too late ends at once.
    func watch(_ stream: EventStream) {
        guard let principal = stream.caller.principal else { return }
        if let expires = principal.expires {
            entries.withLock { $0.append(Entry(expires: expires, stream: stream)) }
        }
        if !credentials.isInForce(principal) { stream.end(.expired) }
    }

    /// Goes on until there is no hub any more.
    ///
    /// - Parameter isOver: whether it is to end.
    func run(until isOver: @Sendable () -> Bool) async {
        while !isOver() {
            try? await Task.sleep(for: Self.interval)
            endExpired(at: .now())
        }
    }

    private func endExpired(at now: Timestamp) {
        // Ended outside the lock.
        let expired = entries.withLock { entries in
            let expired = entries.filter { $0.expires <= now }.compactMap(\.stream)
            entries.removeAll { $0.expires <= now || $0.stream == nil }
            return expired
        }
        for stream in expired { stream.end(.expired) }
    }

    /// Ends every stream whose key or issuer is gone.
    func endTakenBack() {
        for case let stream as EventStream in directory.all() {
            if let principal = stream.caller.principal, !credentials.isInForce(principal) { stream.end(.expired) }
        }
    }
}
