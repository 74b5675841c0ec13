import EventLog
import MicroHTTP
import Webhooks
import Testing

@testable import Clarion

@Suite struct RecentClientsTests {
    private let start = ContinuousClock.now

    private func clients(capacity: Int) -> RecentClients<Int, Int> {
        RecentClients(capacity: capacity, lifetime: .seconds(10), blank: 0)
    }

    @Test func `a million clients take no more room than a few`() {
        var clients = clients(capacity: 1_000)
        clients.change(-1, at: start) { $0 = 7 }
        for client in 0..<1_000_000 {
            clients.change(client, at: start + .microseconds(client)) { $0 += 1 }
        }
        #expect(clients.count == 1_000)
        // Whoever was there first has not lost anything by it.
        #expect(clients.record(of: -1) == (7, false))
        clients.change(-1, at: start + .seconds(2)) { #expect($0 == 7) }
        // The others share: a count of about 250 each.
        let shared = clients.record(of: 999_999)
        #expect(shared.isShared)
        #expect(shared.record > 100)
    }

    @Test func `a record is kept for its lifetime after it was changed, and not for much longer`() {
        var clients = clients(capacity: 1_000)
        for second in [0, 3, 9, 10, 11, 19, 20, 29, 35] {
            let time = start + .seconds(second)
            clients.change(1, at: time) { $0 = second }
            // Whatever others do meanwhile.
            for milliseconds in stride(from: 0, to: 10_000, by: 100) {
                clients.change(2, at: time + .milliseconds(milliseconds)) { _ in }
                #expect(clients.record(of: 1) == (second, false))
            }
        }
        clients.change(2, at: start + .seconds(60)) { _ in }
        #expect(clients.record(of: 1) == (0, false))
        #expect(clients.count == 1)
    }

    @Test func `when those that came are gone there is room again`() {
        var clients = clients(capacity: 10)
        for client in 0..<20 { clients.change(client, at: start) { $0 = 1 } }
        #expect(clients.record(of: 19).isShared)
        clients.change(20, at: start + .seconds(25)) { $0 = 2 }
        #expect(clients.count == 1)
        #expect(clients.record(of: 20) == (2, false))
        #expect(clients.record(of: 0) == (0, false))
    }
}
