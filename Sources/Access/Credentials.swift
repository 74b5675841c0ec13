import EventLog
public import FoundationEssentials
import Locking
public import Logging

/// The credentials that a hub knows: API keys, trusted issuers of tokens, and what anonymous requests may do, all from one
/// file that can be read again at any time.
///
/// ```swift
/// let credentials = try Credentials(file: URL(filePath: "credentials.json"), fetcher: transport, logger: logger)
/// let principal: Principal
/// if let known = credentials.known(credential) { principal = known }
/// else { principal = try await credentials.authenticate(credential) }
/// guard principal.grant.allows(.publish, on: topic) else { … }
/// ```
public final class Credentials: Sendable {
    private struct State {
        var configuration: CredentialSet
        /// Readings are numbered as they begin, so that a slow one does not put older contents in force.
        var reading = 0
        var readings = 0
        /// Fetches key sets when they are due.
        var refreshing: Task<Void, Never>?
    }

    private let path: String
    private let fetcher: (any KeySetFetcher)?
    private let pace: KeySetPace
    private let logger: Logger
    private let now: @Sendable () -> Timestamp
    private let cache = TokenCache()
    private let changes = Changes()
    private let state: Lock<State>

    /// Reads a file. Key sets that it names by URL are fetched after ``startFetching()``.
    ///
    /// - Parameters:
    ///   - file: the credentials file (`docs/operating.md`). Relative paths in it are relative to its folder.
    ///   - fetcher: fetches key sets; without one, tokens whose keys have a URL are refused.
    /// - Throws: ``CredentialsError`` if it cannot be read, or says something that cannot be meant.
    public convenience init(file: URL, fetcher: (any KeySetFetcher)?, logger: Logger) throws(CredentialsError) {
        try self.init(path: file.path(percentEncoded: false), fetcher: fetcher, logger: logger)
    }

    /// As ``init(file:fetcher:logger:)``, with a clock and a pace of one's own.
    init(
        path: String,
        fetcher: (any KeySetFetcher)?,
        logger: Logger,
        pace: KeySetPace = KeySetPace(),
        now: @escaping @Sendable () -> Timestamp = { .now() }
    ) throws(CredentialsError) {
        self.path = path
        self.fetcher = fetcher
        self.pace = pace
        self.logger = logger
        self.now = now
        let changes = changes
        let configuration = try Self.read(path, logger: logger) { location in
            KeySetSource(location, fetcher: fetcher, pace: pace, changes: changes, logger: logger)
        }
        state = Lock(State(configuration: configuration))
        changes.observe { [cache] in cache.empty() }
    }

    deinit {
        state.withLock { $0.refreshing }?.cancel()
    }

    /// Reads the file again. Key sets that were fetched stay; those named by URL are fetched again, at once.
    ///
    /// - Throws: ``CredentialsError`` as when it was read first; what was in force then stays in force.
    public func reload() throws(CredentialsError) {
        let (number, present) = state.withLock { state in
            state.readings += 1
            return (state.readings, state.configuration)
        }
        let configuration = try Self.read(path, logger: logger) { location in
            present.keySets[location]
                ?? KeySetSource(location, fetcher: fetcher, pace: pace, changes: changes, logger: logger)
        }
        state.withLock { state in
            guard number > state.reading else { return }
            state.reading = number
            state.configuration = configuration
        }
        changes.announce()
        for source in configuration.keySets.values { source.makeDue() }
        startFetching()
    }

    /// Who asks without a credential.
    public var anonymous: Principal { configuration.anonymous }

    /// Whose credential it is, if that can be told without waiting: an API key's, or a token's that was verified before.
    ///
    /// - Returns: nil for any other, of which ``authenticate(_:)`` tells more.
    public func known(_ credential: some StringProtocol) -> Principal? {
        guard credential.utf8.count <= Token.maximumLength else { return nil }
        return known(CredentialHash(of: credential), at: now())
    }

    /// Whose credential it is.
    ///
    /// - Throws: ``CredentialFault`` if it is nobody's, or not valid at this time.
    public func authenticate(_ credential: some StringProtocol & Sendable) async throws(CredentialFault) -> Principal {
        guard credential.utf8.count <= Token.maximumLength else {
            throw Token.isMeant(by: credential) ? .tooLong : .unknown
        }
        let now = now()
        let hash = CredentialHash(of: credential)
        if let principal = known(hash, at: now) { return principal }
        let generation = cache.generation
        let configuration = configuration
        guard configuration.keys.principal(hash) == nil else { throw .expiredKey }
        guard Token.isMeant(by: credential), !configuration.issuers.isEmpty else { throw .unknown }
        let token = try Token(credential)
        let principal = try await configuration.judge(token, hash, at: now)
        let entry = TokenCache.Entry(principal: principal, acceptedUntil: principal.acceptedUntil)
        cache.insert(entry, for: hash, if: generation)
        return principal
    }

    /// Whether what it showed still counts: false after its key was removed from the file or changed there, its issuer or
    /// its issuer's key is gone, or it has expired.
    ///
    /// - Parameter isForRequest: whether a token counts for another minute, as it does for requests; otherwise to the moment.
    public func isInForce(_ principal: Principal, forRequest isForRequest: Bool = false) -> Bool {
        if let end = isForRequest ? principal.acceptedUntil : principal.expires, end <= now() { return false }
        return configuration.honours(principal)
    }

    /// Calls back whenever credentials may be worth something else than before: after a reload, and after a key set has
    /// changed; not when something expires. On any thread; it must not block.
    public func onChange(_ body: @escaping @Sendable () -> Void) {
        changes.observe(body)
    }

    private var configuration: CredentialSet { state.withLock { $0.configuration } }

    /// How many verified tokens are kept.
    var cachedTokenCount: Int { cache.count }

    private func known(_ hash: CredentialHash, at now: Timestamp) -> Principal? {
        if let principal = configuration.keys.principal(hash) {
            return principal.expires.map { now < $0 } ?? true ? principal : nil
        }
        return cache.principal(hash, at: now)
    }

    private static func read(
        _ path: String,
        logger: Logger,
        source: (KeySetLocation) -> KeySetSource
    ) throws(CredentialsError) -> CredentialSet {
        let file = try CredentialsFile(path: path)
        do throws(MemberFault) {
            let configuration = try CredentialSet(file, source: source)
            for remark in file.remarks { logger.warning("\(path): \(remark)") }
            return configuration
        } catch {
            throw CredentialsError(path, error)
        }
    }

    /// Fetches the key sets of the present configuration, each when it is due, until the next reload. Call it once the
    /// fetcher works.
    public func startFetching() {
        let task = Task { [weak self] in
            while let due = self?.nextFetch() {
                try? await Task.sleep(until: due, clock: .continuous)
                guard !Task.isCancelled else { return }
                await self?.fetchDue()
            }
        }
        state.withLock { state in
            state.refreshing?.cancel()
            state.refreshing = task
        }
    }

    /// When the next key set is due; nil if there are none.
    private func nextFetch() -> ContinuousClock.Instant? {
        configuration.keySets.values.map(\.due).min()
    }

    private func fetchDue() async {
        let now = ContinuousClock.now
        await withDiscardingTaskGroup { group in
            for source in configuration.keySets.values where source.due <= now {
                group.addTask { await source.refresh() }
            }
        }
    }
}
