import EventLog
import Testing

@testable import Access

@Suite struct TokenCacheTests {
    private static let now = Timestamp(milliseconds: 1_000_000)

    private func entry(_ name: String = "ann", patterns: Int = 0, until: Timestamp? = nil) throws -> TokenCache.Entry {
        let grant = Grant(publish: try (0..<patterns).map { try TopicPattern("t\($0)") })
        let principal = Principal(name: name, id: .anonymous, grant: grant, expires: nil, evidence: .anonymous)
        return TokenCache.Entry(principal: principal, acceptedUntil: until)
    }

    private func hash(_ number: Int) -> CredentialHash { CredentialHash(of: "\(number)") }

    @Test func `holds no more than its bound, whatever comes`() throws {
        let cache = TokenCache(halfWeight: 400)
        for number in 0..<10_000 {
            cache.insert(try entry(patterns: number % 3), for: hash(number), if: cache.generation)
            #expect(cache.count <= 200)
        }
        #expect(cache.count > 50)
    }

    @Test func `heavy grants count for many`() throws {
        let cache = TokenCache(halfWeight: 400)
        for number in 0..<100 {
            cache.insert(try entry(patterns: 196), for: hash(number), if: cache.generation)
            #expect(cache.count <= 4)
        }
    }

    @Test func `what is in use stays while others come and go`() throws {
        let cache = TokenCache(halfWeight: 400)
        cache.insert(try entry("used"), for: hash(-1), if: cache.generation)
        for number in 0..<10_000 {
            cache.insert(try entry(), for: hash(number), if: cache.generation)
            #expect(cache.principal(hash(-1), at: Self.now)?.name == "used")
        }
        #expect(cache.principal(hash(0), at: Self.now) == nil)
    }

    @Test func `an entry ends to the millisecond, in either half`() throws {
        let cache = TokenCache(halfWeight: 40)
        let end = Self.now.advanced(byMilliseconds: 1)
        cache.insert(try entry(until: end), for: hash(-1), if: cache.generation)
        #expect(cache.principal(hash(-1), at: Self.now) != nil)
        #expect(cache.principal(hash(-1), at: end) == nil)
        for number in 0..<10 { cache.insert(try entry(), for: hash(number), if: cache.generation) }
        #expect(cache.principal(hash(-1), at: end) == nil)
    }

    @Test func `what was verified before it was emptied does not come into it`() throws {
        let cache = TokenCache()
        let generation = cache.generation
        cache.insert(try entry(), for: hash(1), if: generation)
        cache.empty()
        #expect(cache.principal(hash(1), at: Self.now) == nil)
        cache.insert(try entry(), for: hash(1), if: generation)
        #expect(cache.principal(hash(1), at: Self.now) == nil)
        cache.insert(try entry(), for: hash(1), if: cache.generation)
        #expect(cache.principal(hash(1), at: Self.now) != nil)
    }
}
