import EventLog
import Testing

@testable import Clarion

@Suite(.serialized) struct CrowdTests {
    /// What a request costs is what it shows. Where it looked at everybody, each of these took some hundred milliseconds.
    @Test func requestsCostTheSameHoweverManyListenToSomethingElse() async throws {
        try await withHub { hub in
            let tokens = try (0..<20_000).map { hub.observe(try TopicPattern("other.\($0)")) { _ in } }
            let start = ContinuousClock.now
            for _ in 0..<20 {
                try await hub.post("1", to: "mine")
                for (method, path) in [
                    ("GET", "/topics/mine"), ("GET", "/topics?limit=1"), ("GET", "/observers?limit=1"),
                    ("DELETE", "/topics/mine/observers"), ("DELETE", "/topics/mine"),
                ] {
                    let status = try await TestAnswer.to(method, path, of: hub).status
                    #expect(200..<300 ~= status)
                }
            }
            #expect(ContinuousClock.now - start < .seconds(2))
            withExtendedLifetime(tokens) {}
        }
    }
}
