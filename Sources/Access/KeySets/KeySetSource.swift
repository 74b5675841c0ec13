import Locking
import Logging

/// One key set that is fetched again and again: one for each location, kept over reloads of the credentials file.
final class KeySetSource: Sendable {
    private struct State {
        /// What was fetched last. It stays in force while fetching fails.
        var keys: KeySet?
        /// Why the last attempt failed; nil if it did not.
        var failure: String?
        /// When the last attempt began, and when the next one is due on its own.
        var triedAt: ContinuousClock.Instant?
        var dueAt = ContinuousClock.now
        /// The attempt under way, and how many wait for it.
        var running: Task<Void, Never>?
        var waiting = 0
        /// Whether the operator asked during the attempt under way, which may have read the set before it was changed.
        var isAskedAgain = false
    }

    /// So many requests wait for an attempt; more are told at once to come again.
    private static let maximumWaiting = 64

    let location: KeySetLocation
    private let fetcher: (any KeySetFetcher)?
    private let pace: KeySetPace
    private let changes: Changes
    private let logger: Logger
    private let state = Lock(State())

    init(
        _ location: KeySetLocation,
        fetcher: (any KeySetFetcher)?,
        pace: KeySetPace,
        changes: Changes,
        logger: Logger
    ) {
        self.location = location
        self.fetcher = fetcher
        self.pace = pace
        self.changes = changes
        self.logger = logger
    }

    /// The keys in force; nil if none were ever fetched.
    var keys: KeySet? { state.withLock { $0.keys } }

    /// When it wants to be fetched again.
    var due: ContinuousClock.Instant { state.withLock { $0.dueAt } }

    /// Has it fetched now, however short a time ago it was: the operator asks, and a stolen key may be gone from it.
    func makeDue() {
        state.withLock { state in
            if state.running == nil {
                (state.dueAt, state.triedAt) = (.now, nil)
            } else {
                state.isAskedAgain = true
            }
        }
    }

    /// Reads the keys of a file. Nothing is changed until ``take(_:)``.
    ///
    /// - Returns: nil if they have a URL.
    /// - Throws: why the file holds none, or the URL can never be fetched, as a sentence.
    func read() throws(MemberFault) -> KeySet? {
        switch location {
        case .file(let path): return try KeySet(FileBytes.read(path, atMost: KeySet.maximumLength))
        case .remote(let url):
            if let refusal = fetcher?.refusal(of: url) { throw MemberFault(path: "", message: refusal) }
            return nil
        }
    }

    /// Fetches the set, or waits for whoever fetches it at this moment. Does nothing if it was tried too short a time ago.
    ///
    /// - Returns: false if too many wait already, so that the keys may change at any moment.
    @discardableResult
    func refresh() async -> Bool {
        switch attempt() {
        case .running(let task): await task.value
        case .tooEarly: break
        case .crowded: return false
        }
        return true
    }

    private enum Attempt {
        case running(Task<Void, Never>)
        case tooEarly
        case crowded
    }

    private func attempt() -> Attempt {
        state.withLock { state in
            if let running = state.running {
                guard state.waiting < Self.maximumWaiting else { return .crowded }
                state.waiting += 1
                return .running(running)
            }
            let now = ContinuousClock.now
            if let triedAt = state.triedAt, now < triedAt + pace.least { return .tooEarly }
            state.triedAt = now
            state.dueAt = now + pace.refresh
            state.waiting = 1
            let attempt = Task { await self.fetch() }
            state.running = attempt
            return .running(attempt)
        }
    }

    private func fetch() async {
        repeat {
            do throws(MemberFault) {
                take(try KeySet(await bytes()))
            } catch {
                fail(error.description)
            }
        } while goesOn()
    }

    /// Whether the set is to be fetched once more; otherwise the attempt ends.
    private func goesOn() -> Bool {
        state.withLock { state in
            guard state.isAskedAgain else {
                state.running = nil
                return false
            }
            state.isAskedAgain = false
            state.triedAt = .now
            return true
        }
    }

    private func bytes() async throws(MemberFault) -> [UInt8] {
        switch location {
        case .file(let path): return try FileBytes.read(path, atMost: KeySet.maximumLength)
        case .remote(let url):
            guard let fetcher else { throw MemberFault(path: "", message: "Nothing is fetched from URLs here.") }
            do {
                return try await fetcher.fetch(url)
            } catch {
                throw MemberFault(path: "", message: "\(error)")
            }
        }
    }

    /// Puts keys in force.
    func take(_ keys: KeySet) {
        let (hasChanged, hadFailed) = state.withLock { state in
            let before = (state.keys?.hasSameKeys(as: keys) != true, state.failure != nil)
            state.keys = keys
            state.failure = nil
            state.dueAt = .now + pace.refresh
            return before
        }
        if hadFailed { logger.notice("The key set \(location.description) can be fetched again.") }
        guard hasChanged else { return }
        logger.log(
            level: keys.keys.isEmpty ? .warning : .info,
            "The key set \(location.description) has \(keys.keys.count) keys for tokens."
        )
        for remark in keys.remarks { logger.warning("\(location.description): \(remark).") }
        changes.announce()
    }

    private func fail(_ reason: String) {
        let (hadFailed, hasKeys) = state.withLock { state in
            let before = (state.failure != nil, state.keys != nil)
            state.failure = reason
            state.dueAt = .now + pace.least
            return before
        }
        // The first of many failures alike is reported; it is tried again every minute.
        let consequence =
            hasKeys ? "The keys that it had stay in force." : "Until it can, no token of its issuer is accepted."
        logger.log(
            level: hadFailed ? .debug : .warning,
            "The key set \(location.description) cannot be fetched: \(reason) \(consequence)"
        )
    }
}
