import Locking
import Glibc
import Testing

@testable import Webhooks

@Suite("Deliveries renewed while an attempt is under way")
struct RenewalTests {
    @Test("go out when that attempt has ended, however it did", arguments: [200, 500], [false, true])
    func underWay(status: Int, ordered: Bool) async throws {
        let open = Lock(false)
        let receiver = try Receiver { _ in
            while !open.withLock({ $0 }) { usleep(1000) }
            return .status(status)
        }
        let fixture = try DispatcherFixture(schedule: [.seconds(3600)])
        try await fixture.run(receiver) {
            for _ in 0..<3 { fixture.store.add(to: "a") }
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, maxInFlight: 1, ordered: ordered))
            try await eventually("the first is under way") { receiver.requests.count == 1 }
            fixture.store.renew(1)
            fixture.dispatcher.reread("a")
            let calls = fixture.store.calls
            try await eventually("it is read anew") { fixture.store.calls > calls }
            open.withLock { $0 = true }
            let wanted = ordered && status == 500 ? 2 : 4
            try await eventually("all are sent, the first again") { receiver.requests.count == wanted }
            let firsts = receiver.requests.filter { $0.header("webhook-id") == "event-1" }
            #expect(firsts.map { $0.header("clarion-attempt") } == ["1", "1"])
            if ordered { #expect(receiver.requests[1].header("webhook-id") == "event-1") }
            try await eventually("both are recorded") { fixture.store.outcomes(of: 1).count == 2 }
            #expect(fixture.store.outcomes(of: 1).map(\.renewals) == [0, 1])
            #expect(fixture.store.row(1)?.state == (status == 200 ? .delivered : .pending))
        }
    }
}
