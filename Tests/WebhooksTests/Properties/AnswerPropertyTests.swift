import Locking
import Randomness
import Testing

@testable import Webhooks

/// Answers of chance over sockets. Their fuller fuzzer, over TLS too, is `Tests/EndToEnd/answer_fuzzer.py`.
@Suite("Answers, whatever they say")
struct AnswerPropertyTests {
    @Test("every attempt ends, and slots and lanes are gone with the endpoints")
    func everythingEnds() async throws {
        let (endpoints, deliveries) = (6, 60)
        let number = Lock<UInt64>(0)
        let receiver = try Receiver { _ in
            var random = SeededGenerator(
                seed: number.withLock { number in
                    number += 1
                    return number
                }
            )
            return .raw(random.answer())
        }
        let fixture = try DispatcherFixture(schedule: [.milliseconds(1)])
        let begun = fixture.store.now
        try await fixture.run(receiver) {
            for index in 0..<endpoints {
                for _ in 0..<deliveries { fixture.store.add(to: "\(index)") }
                fixture.dispatcher.set(try fixture.endpoint("\(index)", "\(receiver.url)/\(index)"))
            }
            // Of what is put off for long, the first attempt alone.
            try await eventually("each delivery is tried") {
                fixture.store.rows.allSatisfy { !$0.outcomes.isEmpty }
            }
            for index in 0..<endpoints { fixture.dispatcher.remove("\(index)") }
            try await eventually("nothing is left") {
                fixture.dispatcher.state.withLock { state in
                    state.scheduler.attempts.inFlight == 0 && state.scheduler.lanes.queuedBytes == 0
                        && state.scheduler.lanes.slots.allSatisfy { $0 == nil }
                }
            }
            for outcome in fixture.store.rows.flatMap(\.outcomes) {
                #expect(outcome.answer.status.map { (100...999).contains($0) } ?? true)
                #expect(outcome.answer.failure != nil || outcome.result == .delivered)
                if case .retry(let notBefore) = outcome.result {
                    #expect((begun...fixture.store.now + 86_400_000).contains(notBefore), "\(outcome)")
                }
            }
        }
    }

    /// libcurl 7.88 adds it to a field of the answer before, which is freed, where a handle is used again.
    @Test("an answer whose first field is folded is none, however many came before")
    func folded() async throws {
        let receiver = try Receiver { request in
            request.path == "/hook"
                ? .status(200, headers: (0..<20).map { "X-\($0): y" }) : .raw("HTTP/1.1 200 OK\r\n fol:ded\r\n\r\n")
        }
        let fixture = try DispatcherFixture(schedule: [.milliseconds(1)])
        try await fixture.run(receiver) {
            for _ in 0..<200 {
                fixture.store.add(to: "good")
                fixture.store.add(to: "folded")
            }
            fixture.dispatcher.set(try fixture.endpoint("good", receiver.url))
            fixture.dispatcher.set(try fixture.endpoint("folded", receiver.url + "/folded", maxInFlight: 1))
            try await eventually("both have been tried") {
                let rows = fixture.store.rows
                return rows.count { $0.state == .delivered } == 200
                    && rows.count { $0.endpoint == "folded" && !$0.outcomes.isEmpty } > 15
            }
            let failures = fixture.store.rows.filter { $0.endpoint == "folded" }.flatMap(\.outcomes)
            #expect(failures.allSatisfy { $0.answer.failure == .connectionReset && $0.answer.status == nil })
        }
    }
}

extension SeededGenerator {
    /// An answer of HTTP/1.1, or nearly; a half of them is what a good endpoint says.
    fileprivate mutating func answer() -> String {
        guard chance(2) else { return "HTTP/1.1 204 No Content\r\n\r\n" }
        let end = one(of: ["\r\n", "\r\n", "\r\n", "\n"])
        let interim = chance(6) ? "HTTP/1.1 103 Early Hints\r\nRetry-After: \(digits())\r\n\r\n" : ""
        let version = one(of: ["HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/9.9", "ICY", ""])
        let code = one(of: ["200", "429", "503", "429", "503", "500", "301", "000", "999", "99", "-1", digits()])
        var head = "\(interim)\(version) \(code) \(one(of: ["OK", "", "é"]))\(end)"
        for _ in 0..<number(0...3) {
            let year = one(of: ["1994", "2038", "9999", "10000", "300000000", digits()])
            let date = "Sun, 06 Nov \(year) 08:49:37 GMT"
            let value = one(of: [digits(), "-" + digits(), date, mutated(date)])
            head +=
                one(of: ["Retry-After: ", "Retry-After: ", "Content-Length: ", " Retry-After: ", "Age:", ""]) + value
                + end
        }
        return head + end + one(of: ["", "x", String(repeating: "x", count: 70_000)])
    }
}
