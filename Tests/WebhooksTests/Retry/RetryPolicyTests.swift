import Notation
import Testing

@testable import Webhooks

@Suite("RetryPolicy")
struct RetryPolicyTests {
    let policy = RetryPolicy()
    let now: Int64 = 1_700_000_000_000
    /// The other clock has nothing to do with it.
    static let timeOfDay: Int64 = 1_600_000_000_000
    static let failed = AttemptAnswer(status: 500, failure: .status)

    @Test("each delay stays within the jitter and grows with chance")
    func jitter() throws {
        for attempts in 1...9 {
            let scheduled = Double(RetryPolicy.standardSchedule[attempts - 1].milliseconds)
            var previous: Int64 = 0
            for step in -10...10 {
                let delay = try #require(policy.delay(after: attempts, jitter: Double(step) / 10))
                #expect(delay > previous)
                #expect(Double(delay) >= scheduled * 0.8 - 1)
                #expect(Double(delay) <= scheduled * 1.2 + 1)
                previous = delay
            }
        }
    }

    @Test("ten attempts, then the delivery is dead")
    func exhaustion() {
        for attempts in 1...9 {
            guard
                case .retry(let time) = policy.result(
                    of: Self.failed,
                    attempts: attempts,
                    now: now,
                    timeOfDay: Self.timeOfDay,
                    jitter: 0
                )
            else {
                Issue.record("no retry after attempt \(attempts)")
                continue
            }
            #expect(time == now + RetryPolicy.standardSchedule[attempts - 1].milliseconds)
        }
        for attempts in 10...12 {
            #expect(
                policy.result(of: Self.failed, attempts: attempts, now: now, timeOfDay: Self.timeOfDay, jitter: 0)
                    == .dead
            )
        }
        #expect(
            RetryPolicy(schedule: []).result(
                of: Self.failed,
                attempts: 1,
                now: now,
                timeOfDay: Self.timeOfDay,
                jitter: 0
            ) == .dead
        )
    }

    @Test("every class of failure is retried", arguments: FailureClass.allCases)
    func classes(failure: FailureClass) {
        let answer = AttemptAnswer(failure: failure)
        #expect(
            policy.result(of: answer, attempts: 1, now: now, timeOfDay: Self.timeOfDay, jitter: 0)
                == .retry(notBefore: now + 5000)
        )
    }

    @Test("success is delivered and 410 is gone, whatever the count")
    func settled() {
        for attempts in [1, 10, 20] {
            let delivered = AttemptAnswer(status: 204)
            let gone = AttemptAnswer(status: 410, failure: .status)
            #expect(
                policy.result(of: delivered, attempts: attempts, now: now, timeOfDay: Self.timeOfDay, jitter: 0)
                    == .delivered
            )
            #expect(
                policy.result(of: gone, attempts: attempts, now: now, timeOfDay: Self.timeOfDay, jitter: 0) == .gone
            )
        }
    }

    @Test("Retry-After puts a retry off, never forward, and by a day at most; only with 429 and 503")
    func retryAfter() {
        func notBefore(_ status: Int, _ retryAfter: RetryAfter) -> Int64 {
            let answer = AttemptAnswer(status: status, failure: .status, retryAfter: retryAfter)
            guard
                case .retry(let time) = policy.result(
                    of: answer,
                    attempts: 1,
                    now: now,
                    timeOfDay: Self.timeOfDay,
                    jitter: 0
                )
            else { return -1 }
            return time - now
        }
        for status in [429, 503] {
            #expect(notBefore(status, .seconds(60)) == 60_000)
            #expect(notBefore(status, .seconds(1)) == 5000)
            #expect(notBefore(status, .seconds(.max)) == 86_400_000)
            #expect(notBefore(status, .date(Self.timeOfDay + 7000)) == 7000)
            #expect(notBefore(status, .date(Self.timeOfDay - 7000)) == 5000)
            #expect(notBefore(status, .date(.max)) == 86_400_000)
        }
        #expect(notBefore(500, .seconds(60)) == 5000)
    }

    @Test(
        "parses Retry-After in seconds and in the three date formats of RFC 9110",
        arguments: [
            ("0", RetryAfter.seconds(0)), ("120", .seconds(120)), ("99999999999999999999", .seconds(.max)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", .date(784_111_777_000)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", .date(784_111_777_000)),
            ("Sun Nov  6 08:49:37 1994", .date(784_111_777_000)),
        ]
    )
    func parses(text: String, expected: RetryAfter) {
        #expect(RetryAfter(text) == expected)
    }

    @Test(
        "ignores a Retry-After that is neither, or beyond any calendar",
        arguments: [
            "", "soon", "-1", "1.5", "1s", "Sun, 06 Nov 300000000 08:49:37 GMT", "Sun, 06 Nov 10000 08:49:37 GMT",
            "Sun, 06 Nov 2147483647 08:49:37 GMT", "Sun, 06 Nov 99999999999 08:49:37 GMT",
        ]
    )
    func ignores(text: String) {
        #expect(RetryAfter(text) == nil)
    }
}
