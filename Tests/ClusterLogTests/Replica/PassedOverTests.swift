import EventLog
import Testing

@testable import ClusterLog

@Suite struct PassedOverTests {
    private func outcome(_ event: Int64, _ state: DeliveryOutcome.State) -> DeliveryOutcome {
        let attempt = DeliveryAttempt(number: 1, at: .now())
        return DeliveryOutcome(
            observer: ObserverID(rawValue: "w"),
            event: Position(event),
            state: state,
            attempt: attempt
        )
    }

    private func events(_ passedOver: PassedOver) -> [Int64] {
        passedOver.some(10) { $0.rawValue == "w" }.map(\.event.rawValue).sorted()
    }

    @Test func `what was passed over is said until it is settled`() {
        var passedOver = PassedOver()
        passedOver.add([Position(1), Position(2), Position(1), Position(3)], for: ObserverID(rawValue: "w"))
        passedOver.add([Position(4)], for: ObserverID(rawValue: "other"))
        #expect(events(passedOver) == [1, 2, 3] && passedOver.some(2) { _ in true }.count == 2)
        passedOver.settle([outcome(1, .delivered), outcome(2, .pending(notBefore: .latest)), outcome(4, .dead)])
        #expect(events(passedOver) == [2, 3])
        passedOver.forget(ObserverID(rawValue: "w"))
        #expect(events(passedOver).isEmpty && passedOver.some(9) { _ in true }.map(\.event) == [Position(4)])
    }
}
