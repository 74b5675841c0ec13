import Logging
import Testing

@testable import Access

@Suite struct KeySetSourceTests {
    private let folder: Folder
    private let publisher = Publisher()

    init() throws { folder = try Folder() }

    private func credentials(_ pace: KeySetPace = KeySetPace()) throws -> Credentials {
        try folder.write(
            #"{"jwt": [{"algorithms": ["EdDSA"], "jwks": "https://id/keys", "requireExpiry": false}]}"#,
            to: "c.json"
        )
        let credentials = try Credentials(
            path: "\(folder.path)/c.json",
            fetcher: publisher,
            logger: .silent,
            pace: pace
        )
        credentials.startFetching()
        return credentials
    }

    private func reason(_ token: String, _ credentials: Credentials) async -> CredentialFault.Reason? {
        do throws(CredentialFault) {
            _ = try await credentials.authenticate(token)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `a hub starts without its key sets, and fetches them by itself`() async throws {
        let pair = KeyPair(id: "one")
        let credentials = try credentials(KeySetPace(refresh: .seconds(3600), least: .milliseconds(20)))
        let token = try pair.token()
        try await eventually("it was asked while down") { publisher.fetches > 2 }
        // Not that its key is unknown: nothing can be said of it.
        #expect(await reason(token, credentials) == .keysUnavailable)
        publisher.set = KeyPair.set([pair])
        try await eventually("the token is accepted") { await reason(token, credentials) == nil }
    }

    @Test func `an unknown key asks for the set at once, and then not again for a while`() async throws {
        let (old, new) = (KeyPair(id: "old"), KeyPair(id: "new"))
        publisher.set = KeyPair.set([old])
        let pace = KeySetPace(refresh: .seconds(3600), least: .milliseconds(300))
        let credentials = try credentials(pace)
        #expect(await reason(try old.token(), credentials) == nil)
        publisher.set = KeyPair.set([old, new])
        let token = try new.token()
        try await eventually("the new key is found") { await reason(token, credentials) == nil }
        let before = (publisher.fetches, ContinuousClock.now)
        let stranger = try KeyPair(id: "stranger").token()
        for _ in 0..<200 { #expect(await reason(stranger, credentials) == .unknown) }
        let periods = (ContinuousClock.now - before.1) / pace.least
        #expect(Double(publisher.fetches - before.0) <= periods + 1)
        #expect(await reason(try old.token(), credentials) == nil)
    }

    @Test func `a reload asks for the set at once, and a key that is gone counts no more`() async throws {
        let (stolen, new) = (KeyPair(id: "stolen"), KeyPair(id: "new"))
        publisher.set = KeyPair.set([stolen])
        let credentials = try credentials(KeySetPace())
        let token = try stolen.token()
        #expect(await reason(token, credentials) == nil)
        publisher.set = KeyPair.set([new])
        try credentials.reload()
        try await eventually("the key is gone") { await reason(token, credentials) == .unknown }
    }

    @Test func `tokens that would be refused anyway ask for nothing`() async throws {
        let pair = KeyPair(id: "one")
        publisher.set = KeyPair.set([pair])
        let credentials = try credentials(KeySetPace(refresh: .seconds(3600), least: .zero))
        #expect(await reason(try pair.token(), credentials) == nil)
        let before = publisher.fetches
        #expect(await reason(try KeyPair(id: "stranger").token(#"{"exp": 1}"#), credentials) == .unknown)
        #expect(await reason(try KeyPair(id: "one").token(), credentials) == .badSignature)
        #expect(await reason("a.b.c", credentials) == .malformed)
        #expect(publisher.fetches == before)
        #expect(await reason(try KeyPair(id: "stranger").token(), credentials) == .unknown)
        #expect(publisher.fetches == before + 1)
    }

    @Test func `what was fetched stays in force while the URL fails, or answers nonsense`() async throws {
        let pair = KeyPair(id: "one")
        publisher.set = KeyPair.set([pair])
        let credentials = try credentials(KeySetPace(refresh: .milliseconds(5), least: .milliseconds(5)))
        #expect(await reason(try pair.token(), credentials) == nil)
        for answer in [nil, "", "<html>", "{}", #"{"keys": {}}"#, #"{"keys": [], "keys": []}"#] as [String?] {
            publisher.set = answer
            let asked = publisher.fetches
            try await eventually("it was asked again") { publisher.fetches > asked + 2 }
            let token = try pair.token(#"{"jti": \#(asked)}"#)
            #expect(await reason(token, credentials) == nil)
        }
    }

    @Test func `a key that leaves its set takes its tokens along`() async throws {
        let (stolen, kept) = (KeyPair(id: "stolen"), KeyPair(id: "kept"))
        publisher.set = KeyPair.set([stolen, kept])
        let credentials = try credentials(KeySetPace(refresh: .milliseconds(5), least: .milliseconds(5)))
        let (bad, good) = (try stolen.token(), try kept.token())
        let principals = (try await credentials.authenticate(bad), try await credentials.authenticate(good))
        // The first set is a change, too, which may empty the cache once more after the first look.
        try await eventually("it is known") { await reason(bad, credentials) == nil && credentials.known(bad) != nil }
        #expect(credentials.isInForce(principals.0))
        let changes = Recorder()
        credentials.onChange { changes.record() }
        publisher.set = KeyPair.set([kept])
        try await eventually("the change is told") { changes.count > 0 }
        #expect(credentials.known(bad) == nil && !credentials.isInForce(principals.0))
        #expect(credentials.isInForce(principals.1))
        #expect(await reason(bad, credentials) == .unknown)
        #expect(await reason(good, credentials) == nil)
    }

    @Test func `a set that becomes empty is a warning`() throws {
        let lines = LogLines()
        let source = KeySetSource(
            .file("\(folder.path)/keys.json"),
            fetcher: nil,
            pace: KeySetPace(),
            changes: Changes(),
            logger: Logger(label: "test") { _ in lines }
        )
        for (set, level) in [([KeyPair(id: "one")], Logger.Level.info), ([], .warning)] {
            try folder.write(KeyPair.set(set), to: "keys.json")
            source.take(try #require(try source.read()))
            #expect(lines.levels.last == level)
        }
    }

    @Test func `a URL that can never be fetched is refused by its member`() throws {
        publisher.refusal = "It never answers."
        let error = #expect(throws: CredentialsError.self) { _ = try credentials() }
        #expect(error?.message.contains("jwt[0].jwks: https://id/keys: It never answers.") == true)
    }

    @Test func `the same set again is no change`() async throws {
        publisher.set = KeyPair.set([KeyPair(id: "one")])
        let credentials = try credentials(KeySetPace(refresh: .milliseconds(5), least: .milliseconds(5)))
        try await eventually("it is fetched") { publisher.fetches > 1 }
        let changes = Recorder()
        credentials.onChange { changes.record() }
        let asked = publisher.fetches
        try await eventually("it is fetched again") { publisher.fetches > asked + 3 }
        #expect(changes.count == 0)
    }

    @Test func `a reload of a set that cannot be fetched keeps its keys`() async throws {
        let pair = KeyPair(id: "one")
        publisher.set = KeyPair.set([pair])
        let credentials = try credentials()
        #expect(await reason(try pair.token(), credentials) == nil)
        publisher.set = nil
        let asked = publisher.fetches
        for _ in 0..<10 { try credentials.reload() }
        try await eventually("it was asked for") { publisher.fetches > asked }
        #expect(await reason(try pair.token(), credentials) == nil)
        #expect(publisher.fetches <= asked + 10)
    }

    @Test func `a thousand that wait are answered when the answer comes`() async throws {
        let pair = KeyPair(id: "one")
        publisher.set = KeyPair.set([pair])
        let credentials = try credentials()
        let token = try pair.token()
        // The first of all asks, or finds the background asking; some beyond the bound may be told to come again.
        let reasons = await withTaskGroup(of: CredentialFault.Reason?.self) { group in
            for _ in 0..<1_000 { group.addTask { await self.reason(token, credentials) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(reasons.contains(nil))
        #expect(Set(reasons).isSubset(of: [nil, .keysUnavailable]))
        #expect(publisher.fetches == 1)
        #expect(await reason(token, credentials) == nil)
    }

    @Test func `a reload during a fetch asks once more, since the set may have changed after it was read`() async throws
    {
        let (stolen, new) = (KeyPair(id: "stolen"), KeyPair(id: "new"))
        publisher.set = KeyPair.set([stolen])
        publisher.isHeld = true
        let credentials = try credentials()
        try await eventually("it is asked") { publisher.fetches == 1 }
        publisher.set = KeyPair.set([new])
        for _ in 0..<3 { try credentials.reload() }
        publisher.isHeld = false
        #expect(await reason(try new.token(), credentials) == nil)
        #expect(await reason(try stolen.token(), credentials) == .unknown)
        #expect(publisher.fetches == 2)
    }

    @Test func `credentials that nobody holds are let go, and ask no more`() async throws {
        weak var gone: Credentials?
        do {
            let credentials = try credentials(KeySetPace(refresh: .milliseconds(5), least: .milliseconds(5)))
            gone = credentials
            try await eventually("it is asked") { publisher.fetches > 1 }
            _ = credentials.anonymous
        }
        try await eventually("they are let go") { gone == nil }
    }

    @Test func `sets are bounded in bytes and in keys`() throws {
        let pair = KeyPair(id: "one")
        #expect(throws: MemberFault.self) { try KeySet(Array(KeyPair.set(Array(repeating: pair, count: 257)).utf8)) }
        #expect(try KeySet(Array(KeyPair.set(Array(repeating: pair, count: 256)).utf8)).keys.count == 256)
        let padded = KeyPair.set([pair]) + String(repeating: " ", count: KeySet.maximumLength)
        #expect(throws: MemberFault.self) { try KeySet(Array(padded.utf8)) }
        // A token without a name is tried with few of many keys.
        let many = try KeySet(Array(KeyPair.set((0..<256).map { _ in KeyPair(id: "same") }).utf8))
        #expect(many.candidates(named: "same", for: .edDSA).count == 16)
        #expect(many.candidates(named: nil, for: .edDSA).count == 16)
    }
}
