import Testing

@testable import Webhooks

@Suite struct FailureAlertsTests {
    @Test func `the first failure is told, and the first success after it`() {
        var alerts = FailureAlerts()
        #expect(alerts.note(hasFailed: false, now: 0) == nil)
        #expect(alerts.note(hasFailed: true, now: 1) == .beganToFail)
        #expect(alerts.note(hasFailed: true, now: 2) == nil)
        #expect(alerts.note(hasFailed: false, now: 3) == .worksAgain)
        #expect(alerts.note(hasFailed: false, now: 4) == nil)
    }

    @Test func `one that fails now and then is told of once a minute, and still fails is told after it`() {
        var alerts = FailureAlerts()
        var told: [FailureAlerts.Alert] = []
        for now in stride(from: 0 as Int64, to: 10 * FailureAlerts.period, by: 10) {
            if let alert = alerts.note(hasFailed: now / 10 % 2 == 0, now: now) { told.append(alert) }
        }
        #expect(told.filter { $0 == .beganToFail }.count == 10)
        #expect(told.filter { $0 == .worksAgain }.count == 10)
        #expect(alerts.note(hasFailed: true, now: 10 * FailureAlerts.period - 1) == nil)
        #expect(alerts.note(hasFailed: true, now: 10 * FailureAlerts.period) == .beganToFail)
    }
}
