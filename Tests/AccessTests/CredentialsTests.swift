import EventLog
import Foundation
import Locking
import Logging
import Testing

@testable import Access

@Suite struct CredentialsTests {
    private let folder: Folder
    private let clock = WallClock()

    init() throws {
        folder = try Folder()
        try folder.writeSecret()
    }

    private static let key = #"{"name": "ci", "sha256": "\#(sha256("key"))", "publish": ["a"], "expires": "EXPIRES"}"#
    private static let secret = #"{"algorithms": ["HS256"], "secretFile": "hmac.key"}"#

    private func write(keys: [String] = [], jwt: [String] = [], anonymous: String = "{}") throws {
        try folder.write(
            """
            {"keys": [\(keys.joined(separator: ", "))], "jwt": [\(jwt.joined(separator: ", "))], "anonymous": \(anonymous)}
            """,
            to: "c.json"
        )
    }

    private func credentials() throws -> Credentials {
        let clock = clock
        return try Credentials(path: "\(folder.path)/c.json", fetcher: nil, logger: .silent, now: { clock.now })
    }

    private func token(
        _ seconds: Int64 = 600,
        subject: String? = "ann",
        _ grant: Grant = .nothing
    ) async throws -> String {
        try await TokenSigner(secretFile: folder.url("hmac.key")).token(
            subject: subject,
            grant: grant,
            issued: clock.now,
            expires: Timestamp(milliseconds: (clock.seconds + seconds) * 1_000)
        )
    }

    private func fault(_ credential: String, _ credentials: Credentials) async -> CredentialFault? {
        do throws(CredentialFault) {
            _ = try await credentials.authenticate(credential)
            return nil
        } catch {
            return error
        }
    }

    private func reason(_ credential: String, _ credentials: Credentials) async -> CredentialFault.Reason? {
        await fault(credential, credentials)?.reason
    }

    @Test func `a key is known at once, and no other text is`() async throws {
        try write(keys: [Self.key.replacing("EXPIRES", with: "2126-01-01T00:00:00Z")])
        let credentials = try credentials()
        #expect(credentials.known("key")?.name == "ci")
        #expect(try await credentials.authenticate("key").grant.allows(.publish, on: Topic("a")))
        for text in ["", "Key", "key ", "ke", "k\u{0}ey", sha256("key"), String(repeating: "key", count: 1_000_000)] {
            #expect(credentials.known(text) == nil)
            #expect(await reason(text, credentials) == .unknown)
        }
    }

    @Test func `what is told of a key is only that it is unknown, expired or not`() async throws {
        try write(keys: [Self.key.replacing("EXPIRES", with: clock.now.rfc3339)])
        let credentials = try credentials()
        #expect(credentials.known("key") == nil)
        let (expired, other) = (await fault("key", credentials), await fault("other", credentials))
        #expect((expired?.reason, other?.reason) == (.expired, .unknown))
        #expect(expired?.detail == other?.detail)
    }

    @Test func `a key ends to the millisecond`() throws {
        try write(keys: [Self.key.replacing("EXPIRES", with: clock.now.advanced(byMilliseconds: 1_000).rfc3339)])
        let credentials = try credentials()
        let principal = try #require(credentials.known("key"))
        clock.advance(milliseconds: 999)
        #expect(credentials.known("key") != nil && credentials.isInForce(principal))
        clock.advance(milliseconds: 1)
        #expect(credentials.known("key") == nil && !credentials.isInForce(principal))
    }

    @Test func `a token is known once it was verified, until a minute after its end`() async throws {
        try write(jwt: [Self.secret])
        let credentials = try credentials()
        let token = try await token(600, Grant(subscribe: [try TopicPattern("a.**")]))
        #expect(credentials.known(token) == nil)
        let principal = try await credentials.authenticate(token)
        #expect(principal.name == "ann")
        #expect(principal.grant.allows(.subscribe, on: try TopicPattern("a.*")))
        #expect(credentials.known(token)?.id == principal.id)
        clock.advance(milliseconds: 600_000 - 1)
        #expect(credentials.isInForce(principal))
        clock.advance(milliseconds: 1)
        // What lasts ends now; a request may come a minute late.
        #expect(!credentials.isInForce(principal))
        #expect(credentials.known(token) != nil)
        clock.advance(milliseconds: 59_999)
        #expect(credentials.isInForce(principal, forRequest: true))
        #expect(credentials.known(token) != nil)
        #expect(await reason(token, credentials) == nil)
        clock.advance(milliseconds: 1)
        #expect(!credentials.isInForce(principal, forRequest: true))
        #expect(credentials.known(token) == nil)
        #expect(await reason(token, credentials) == .expired)
    }

    @Test(arguments: [
        "1e308", "-1e308", "1e-320", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "0",
    ])
    func `no number of a claim ends the program`(number: String) async throws {
        let pair = KeyPair(id: "one")
        try folder.write(KeyPair.set([pair]), to: "keys.json")
        try write(jwt: [#"{"algorithms": ["EdDSA"], "jwks": "file:keys.json"}"#])
        let credentials = try credentials()
        for claims in [#"{"exp": N}"#, #"{"exp": 1e300, "nbf": N}"#, #"{"exp": 1e300, "iat": N}"#] {
            let token = try pair.token(claims.replacing("N", with: number))
            if let principal = try? await credentials.authenticate(token) {
                #expect(principal.expires.map { $0 > clock.now } == true)
                #expect(credentials.isInForce(principal))
            }
        }
        let far = try await credentials.authenticate(pair.token(#"{"exp": 1e308}"#))
        #expect(far.expires == .latest)
    }

    @Test func `subjects are told apart by their issuers, and tokens without one by themselves`() async throws {
        try write(jwt: [Self.secret])
        let credentials = try credentials()
        let first = try await credentials.authenticate(token(600))
        let second = try await credentials.authenticate(token(601))
        let other = try await credentials.authenticate(token(600, subject: "bob"))
        let nobody = try await credentials.authenticate(token(600, subject: nil))
        let nobodyElse = try await credentials.authenticate(token(601, subject: nil))
        #expect(first.id == second.id)
        #expect(Set([first.id, other.id, nobody.id, nobodyElse.id, credentials.anonymous.id]).count == 5)
        #expect(nobody.name == "token")
    }

    @Test func `of two issuers the same subject is two, wherever the names are cut`() async throws {
        let pair = KeyPair(id: "one")
        try folder.write(KeyPair.set([pair]), to: "keys.json")
        try write(jwt: [#"{"algorithms": ["EdDSA"], "jwks": "file:keys.json", "requireExpiry": false}"#])
        let credentials = try credentials()
        var ids: Set<PrincipalID> = []
        for (issuer, subject) in [("a", "bc"), ("z", "bc"), ("ab", "c"), ("", "abc")] {
            let token = try pair.token(#"{"iss": "\#(issuer)", "sub": "\#(subject)"}"#)
            ids.insert(try await credentials.authenticate(token).id)
        }
        #expect(ids.count == 4)
    }

    @Test func `a reload changes what counts`() async throws {
        let entry = Self.key.replacing("EXPIRES", with: "2126-01-01T00:00:00Z")
        try write(keys: [entry], jwt: [Self.secret], anonymous: #"{"subscribe": ["public"]}"#)
        let credentials = try credentials()
        let token = try await token()
        let key = try #require(credentials.known("key"))
        let all = [key, try await credentials.authenticate(token), credentials.anonymous]
        func inForce() -> [Bool] { all.map { credentials.isInForce($0) } }
        #expect(inForce() == [true, true, true])
        let changes = Recorder()
        credentials.onChange { changes.record() }
        // The same again: everyone stays.
        try credentials.reload()
        #expect(inForce() == [true, true, true] && changes.count == 1)
        // A grant of the same patterns in another order would be the same; fewer are not.
        try write(keys: [entry.replacing(#"["a"]"#, with: "[]")], jwt: [Self.secret], anonymous: "{}")
        try credentials.reload()
        #expect(inForce() == [false, true, false] && changes.count == 2)
        #expect(credentials.known("key")?.grant == .nothing)
        // The issuer's secret is another.
        try folder.writeSecret(Array(1...64))
        try credentials.reload()
        #expect(inForce() == [false, false, false])
        #expect(credentials.known(token) == nil)
        #expect(await reason(token, credentials) == .badSignature)
        try write()
        try credentials.reload()
        #expect(credentials.known("key") == nil)
        #expect(await reason(token, credentials) == .unknown)
    }

    @Test(arguments: [
        (#""ci""#, #""other""#), (#"["a"]"#, #"["a", "b"]"#), ("2126-01-01", "2126-01-02"),
        (#""HS256""#, #""HS512""#), (#""HS256"]"#, #""HS256"], "audience": "hub""#),
        (#""HS256"]"#, #""HS256"], "requireExpiry": false"#),
    ])
    func `an entry that says anything else takes back what it was worth`(former: String, present: String) async throws {
        let (key, jwt) = (Self.key.replacing("EXPIRES", with: "2126-01-01T00:00:00Z"), Self.secret)
        try write(keys: [key], jwt: [jwt])
        let credentials = try credentials()
        let all = [try #require(credentials.known("key")), try await credentials.authenticate(token())]
        try write(keys: [key.replacing(former, with: present)], jwt: [jwt.replacing(former, with: present)])
        try credentials.reload()
        #expect(all.map { credentials.isInForce($0) } == [!key.contains(former), !jwt.contains(former)])
    }

    @Test func `what was read earlier does not come into force later`() async throws {
        let entry = Self.key.replacing("EXPIRES", with: "2126-01-01T00:00:00Z")
        try write(keys: [entry])
        let nested = Recorder()
        let during = Lock<(@Sendable () -> Void)?>(nil)
        let logger = Logger(label: "test") { _ in
            // A remark is told between reading and taking effect.
            TellingLogHandler { during.withLock { $0.take() }?() }
        }
        let credentials = try Credentials(path: "\(folder.path)/c.json", fetcher: nil, logger: logger)
        #expect(credentials.known("key") != nil)
        // The file that still has the key is read, and another, without it, before that one is in force.
        try write(keys: [entry], jwt: [#"{"algorithms": ["HS256", "RS256"], "secretFile": "hmac.key"}"#])
        during.withLock { [folder] in
            $0 = {
                nested.record()
                try? folder.write("{}", to: "c.json")
                try? credentials.reload()
            }
        }
        try credentials.reload()
        #expect(nested.count == 1)
        #expect(credentials.known("key") == nil)
    }

    @Test(arguments: ["", "{", #"{"key": []}"#, #"{"jwt": [{"algorithms": ["HS256"], "secretFile": "none"}]}"#])
    func `a file that does not parse leaves the former in force`(text: String) async throws {
        try write(keys: [Self.key.replacing("EXPIRES", with: "2126-01-01T00:00:00Z")], jwt: [Self.secret])
        let credentials = try credentials()
        let token = try await token()
        let principals = [try #require(credentials.known("key")), try await credentials.authenticate(token)]
        try folder.write(text, to: "c.json")
        let changes = Recorder()
        credentials.onChange { changes.record() }
        #expect { try credentials.reload() } throws: { ($0 as? CredentialsError)?.message.contains("c.json: ") == true }
        try FileManager.default.removeItem(at: folder.url("c.json"))
        #expect { try credentials.reload() } throws: { "\($0)".contains("c.json: There is no such file.") }
        #expect(principals.allSatisfy { credentials.isInForce($0) } && changes.count == 0)
        #expect(credentials.known(token) != nil)
    }

    @Test func `a key set in a file is read with the credentials, and must be one`() async throws {
        let (old, new) = (KeyPair(id: "old"), KeyPair(id: "new"))
        try write(jwt: [#"{"algorithms": ["EdDSA"], "jwks": "file:keys.json", "requireExpiry": false}"#])
        #expect {
            try self.credentials()
        } throws: {
            "\($0)".contains("c.json: jwt[0].jwks: ") && "\($0)".contains("keys.json: There is no such file.")
        }
        try folder.write(KeyPair.set([old]), to: "keys.json")
        let credentials = try credentials()
        #expect(await reason(try old.token(), credentials) == nil)
        try folder.write(KeyPair.set([new]), to: "keys.json")
        try credentials.reload()
        #expect(await reason(try old.token(), credentials) == .unknown)
        #expect(await reason(try new.token(), credentials) == nil)
    }

    @Test func `a reload that fails leaves all key sets as they were`() async throws {
        let (old, new) = (KeyPair(id: "old"), KeyPair(id: "new"))
        try write(
            jwt: ["keys.json", "others.json"].map {
                #"{"algorithms": ["EdDSA"], "jwks": "file:\#($0)", "requireExpiry": false}"#
            }
        )
        for name in ["keys.json", "others.json"] { try folder.write(KeyPair.set([old]), to: name) }
        let credentials = try credentials()
        #expect(await reason(try old.token(), credentials) == nil)
        let changes = Recorder()
        credentials.onChange { changes.record() }
        try folder.write(KeyPair.set([new]), to: "keys.json")
        try folder.write("{", to: "others.json")
        #expect(throws: CredentialsError.self) { try credentials.reload() }
        #expect(changes.count == 0)
        #expect(await reason(try old.token(), credentials) == nil)
    }

    /// Readers, verifiers and reloads at the same time: for the Thread Sanitizer, and so that no answer is of neither state.
    @Test func `reloads race with everything else`() async throws {
        let one = Self.key.replacing("EXPIRES", with: "2126-01-01T00:00:00Z")
        let other = #"{"name": "other", "sha256": "\#(sha256("key"))", "manage": ["b"]}"#
        try write(keys: [one], jwt: [Self.secret])
        let credentials = try credentials()
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<20 { group.addTask { try await token(600, subject: "\(number)") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // Weakly: what changes call is kept for as long as there are credentials.
        credentials.onChange { [weak credentials] in _ = credentials?.known("key") }
        try await withThrowingTaskGroup { group in
            group.addTask {
                for round in 0..<60 {
                    try write(keys: [round % 2 == 0 ? other : one], jwt: [Self.secret])
                    try credentials.reload()
                }
            }
            group.addTask { for _ in 0..<60 { try? credentials.reload() } }
            for _ in 0..<3 {
                group.addTask {
                    for round in 0..<300 {
                        let principal = try #require(credentials.known("key"))
                        let topic = try Topic(principal.name == "ci" ? "a" : "b")
                        #expect(principal.grant.allows(principal.name == "ci" ? .publish : .manage, on: topic))
                        let verified = try await credentials.authenticate(tokens[round % tokens.count])
                        #expect(verified.name.count < 3 && credentials.isInForce(verified))
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        try write()
        try credentials.reload()
        #expect(credentials.known("key") == nil && credentials.cachedTokenCount == 0)
        for token in tokens { #expect(credentials.known(token) == nil) }
    }

    @Test func `verified tokens are kept within a bound`() async throws {
        let pair = KeyPair(id: "one")
        try folder.write(KeyPair.set([pair]), to: "keys.json")
        try write(jwt: [#"{"algorithms": ["EdDSA"], "jwks": "file:keys.json", "requireExpiry": false}"#])
        let credentials = try credentials()
        let patterns = (0..<500).map { "\"p\($0)\"" }.joined(separator: ",")
        for number in 0..<400 {
            let claims = #"{"jti": \#(number), "clarion": {"publish": [\#(patterns)]}}"#
            _ = try await credentials.authenticate(pair.token(claims))
        }
        #expect(credentials.cachedTokenCount <= 2 * TokenCache.halfWeight / 500)
        #expect(credentials.cachedTokenCount >= 100)
    }
}
