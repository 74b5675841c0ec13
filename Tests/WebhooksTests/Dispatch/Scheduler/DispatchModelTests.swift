import Randomness
import Testing

@testable import Webhooks

/// Offers, reads, records, answers and changes in any order; the seed of a failure is its argument.
@Suite("Dispatching, step by step")
struct DispatchModelTests {
    /// What disturbs the steady way of posts, offers and answers.
    enum Disturbance: CaseIterable { case none, failingStore, registrations, clock, all }

    private static let endpoints: [(ordered: Bool, maxInFlight: Int, ratePerSecond: Double?)] = [
        (true, 16, nil), (true, 1, 200), (false, 3, nil), (false, 16, 100), (false, 16, nil), (false, 16, nil),
        (false, 16, nil), (false, 16, nil), (false, 16, nil), (false, 16, nil),
    ]

    @Test(
        "each delivery is attempted until it is settled, one attempt at a time, in order where that is asked for",
        arguments: Disturbance.allCases
    )
    func anyOrder(disturbance: Disturbance) throws {
        let endpoints = try Self.endpoints.enumerated().map { index, traits throws in
            Endpoint(
                id: "e\(index)",
                url: try WebhookURL("http://\(index % 2 == 0 ? "h.example" : "192.0.2.1")/\(index)", httpsOnly: false),
                secrets: SigningSecrets(.generate()),
                maxInFlight: traits.maxInFlight,
                ordered: traits.ordered,
                ratePerSecond: traits.ratePerSecond
            )
        }
        var offersTaken = 0
        for seed in UInt64(0)..<300 {
            var model = DispatchModel(seed: seed, endpoints: endpoints)
            var random = SeededGenerator(seed: ~seed)
            for _ in 0..<600 where model.problems.isEmpty { step(&model, disturbance, &random) }
            if model.problems.isEmpty { model.settle() }
            offersTaken += model.offersTaken
            guard model.problems.isEmpty else {
                Issue.record("seed \(seed): \(model.problems.prefix(3))")
                return
            }
        }
        #expect(offersTaken > 1_000, "or little of it was tried")
    }

    private func step(_ model: inout DispatchModel, _ disturbance: Disturbance, _ random: inout SeededGenerator) {
        let storeFails = disturbance == .failingStore || disturbance == .all
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<8: model.commit()
        case 8..<30: model.offer()
        case 30..<45: model.stepPump()
        case 45..<55: model.stepRecorder()
        case 55..<75: model.end(with: DeliverySchedulerTests.ok)
        case 75..<79: model.end(with: DeliverySchedulerTests.error)
        case 79..<81: model.end(with: DeliverySchedulerTests.timeout)
        case 81..<91: model.pass(.random(in: 0...8, using: &random))
        case 91..<92: model.pass(.random(in: 0...(Bool.random(using: &random) ? 300 : 3000), using: &random))
        case 92 where storeFails: model.stepPump(failing: true)
        case 93 where storeFails: model.stepRecorder(failing: true)
        case 94..<100 where disturbance == .registrations || disturbance == .all && Bool.random(using: &random):
            disturb(&model, &random, kinds: 15)
        case 94..<100 where disturbance == .clock || disturbance == .all: setClock(&model, &random)
        default: model.stepPump()
        }
    }

    /// Back and forth, by milliseconds and by days, while the hub runs and while it is down.
    private func setClock(_ model: inout DispatchModel, _ random: inout SeededGenerator) {
        let sizes: [Int64] = [1, 100, 5_000, 3_600_000, 6 * 86_400_000]
        let step = (sizes.randomElement(using: &random) ?? 0) * (Bool.random(using: &random) ? 1 : -1)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: model.restart(downFor: .random(in: 0...1_000, using: &random), step: step)
        case 1, 2:
            var answer = AttemptAnswer(status: 503, failure: .status)
            answer.retryAfter = model.date(in: .random(in: -10...2_000, using: &random))
            model.end(with: answer)
        default: model.step(step)
        }
    }

    private func disturb(_ model: inout DispatchModel, _ random: inout SeededGenerator, kinds: Int) {
        switch Int.random(in: 0..<kinds, using: &random) {
        case 0..<3: model.setAny(isEnabled: true)
        case 3: model.setAny(isEnabled: false)
        case 4, 5: model.rereadAny()
        case 6: model.holdAny()
        case 7..<11: model.releaseAny()
        case 12: model.setAnyOrder()
        case 13: model.deleteAnyTopic()
        default: model.end(with: AttemptAnswer(status: 410, failure: .status))
        }
    }
}
