import Randomness
import Testing

@testable import Webhooks

/// Three weeks of a dispatcher, with the schedule of retries as it is, in which the clock of the day steps and the hub is
/// started again: nothing that it remembers grows.
@Suite("Dispatching, week by week")
struct DispatchWeeksTests {
    private static let hour: Int64 = 3_600_000
    private static let day = 24 * hour

    @Test("what is remembered does not grow, and failing is counted as it was", arguments: 0..<5 as Range<UInt64>)
    func weeks(seed: UInt64) throws {
        var run = Run(seed: seed, endpoints: try Self.endpoints())
        run.run(for: 21 * Self.day)
        #expect(run.model.problems.prefix(3) == [])
        // The one that never works was tried all the time.
        let failing = run.model.failing["dead"] ?? 0
        #expect((14 * Self.day...21 * Self.day).contains(failing), "\(Double(failing) / Double(Self.day)) days")
        run.model.settle()
        #expect(run.model.problems.prefix(3) == [])
        let idle = run.model.sizes.filter { !["lanes", "timers"].contains($0.key) }
        #expect(idle.allSatisfy { $0.value == 0 }, "\(idle)")
    }

    private static func endpoints() throws -> [Endpoint] {
        try [
            ("well", false, nil), ("sometimes", false, 0.5), ("days", true, nil), ("dead", false, nil),
            ("slowly", false, 0.01), ("guest0", false, nil),
        ].map { id, ordered, rate in
            Endpoint(
                id: id,
                url: try WebhookURL("http://example.com/\(id)", httpsOnly: false),
                secrets: SigningSecrets(.generate()),
                ordered: ordered,
                ratePerSecond: rate
            )
        }
    }

    private struct Run {
        var model: DispatchModel
        private var random: SeededGenerator
        private let start: Int64
        private var guests = 0

        init(seed: UInt64, endpoints: [Endpoint]) {
            model = DispatchModel(seed: seed, endpoints: endpoints, policy: RetryPolicy(jitter: 0))
            random = SeededGenerator(seed: ~seed)
            start = model.now
        }

        mutating func run(for time: Int64) {
            let end = model.now + time
            var nextPost = model.now
            while model.now < end, model.problems.isEmpty {
                if model.now >= nextPost {
                    model.commit()
                    nextPost = model.now + .random(in: 0...2 * DispatchWeeksTests.hour, using: &random)
                    disturb()
                }
                work()
                model.forget()
                let problem = problem
                guard problem == nil else { return model.note(problem ?? "") }
                let next = min(model.callAt, nextPost)
                model.pass(max(next - model.now, 0))
            }
        }

        /// What is remembered of more than there is.
        private var problem: String? {
            let (pending, endpoints) = (model.pending, model.endpoints.count)
            let bounds = [
                "lanes": 2 * (endpoints + 1), "timers": 2 * endpoints + 16, "turns": 3 * endpoints,
                "deliveries": 3 * pending, "attempts": 0, "beginnings": 0, "outcomes": 8,
            ]
            return model.sizes.first { $0.value > bounds[$0.key] ?? 0 }.map {
                "\($0.value) \($0.key), \(pending) deliveries to \(endpoints) endpoints"
            }
        }

        /// Until nothing is left to do now.
        private mutating func work() {
            while model.problems.isEmpty {
                model.offer()
                while let request = model.underWay.first { model.end(0, with: answer(of: request)) }
                if model.isAtRest { return }
                model.stepRecorder()
                model.stepPump()
            }
        }

        private mutating func answer(of request: TransportRequest) -> AttemptAnswer {
            let hasFailed =
                switch request.destination.endpoint.id {
                case "dead": true
                case "sometimes": Int.random(in: 0..<5, using: &random) == 0
                // For three days, and then not for three.
                case "days": (model.now - start) / DispatchWeeksTests.day % 6 < 3
                case "slowly": Int.random(in: 0..<50, using: &random) == 0
                default: false
                }
            return hasFailed ? DeliverySchedulerTests.error : DeliverySchedulerTests.ok
        }

        private mutating func disturb() {
            switch Int.random(in: 0..<40, using: &random) {
            case 0..<8: model.step(.random(in: -6...6, using: &random) * DispatchWeeksTests.day)
            case 8..<16: model.step(.random(in: -3_600...3_600, using: &random) * 1_000)
            case 16:
                let step = Int64.random(in: -2...2, using: &random) * DispatchWeeksTests.hour
                model.restart(downFor: DispatchWeeksTests.hour, step: step)
            case 17..<24:
                model.replace("guest\(guests)", by: "guest\(guests + 1)")
                guests += 1
            default: break
            }
        }
    }
}
