import EventLog
import Webhooks
import Testing

@testable import Clarion
@testable import MicroHTTP

@Suite struct FailedLoginsTests {
    private let start = ContinuousClock.now

    private func address(_ text: String) throws -> ClientAddress {
        let request = try Request(fields: [], from: text)
        return ClientAddress(request)
    }

    @Test func `twenty in a minute are too many, for a minute`() throws {
        let logins = FailedLogins()
        let one = try address("192.0.2.1:5000")
        for second in 0..<19 { logins.count(one, at: start + .seconds(second)) }
        #expect(logins.lock(on: one, at: start + .seconds(19)) == nil)
        logins.count(one, at: start + .seconds(30))
        #expect(logins.lock(on: one, at: start + .seconds(31)) == .init(seconds: 60, isShared: false))
        #expect(logins.lock(on: try address("192.0.2.2:5000"), at: start + .seconds(31)) == nil)
        #expect(logins.lock(on: one, at: start + .seconds(89)) != nil)
        #expect(logins.lock(on: one, at: start + .seconds(91)) == nil)
        // As many, but not within a minute.
        for number in 0..<40 { logins.count(one, at: start + .seconds(100 + 4 * number)) }
        #expect(logins.lock(on: one, at: start + .seconds(261)) == nil)
    }

    @Test func `what was looked at with one too many is one too many, and unlocks nobody`() throws {
        let logins = FailedLogins()
        let one = try address("192.0.2.1:5000")
        for _ in 0..<19 { #expect(logins.count(one, at: start) == nil) }
        #expect(logins.count(one, at: start + .seconds(59)) == nil)
        #expect(logins.count(one, at: start + .seconds(59)) == 61)
        // The minute of the first is over, that of the lock is not.
        #expect(logins.count(one, at: start + .seconds(61)) == 59)
        #expect(logins.lock(on: one, at: start + .seconds(62)) == .init(seconds: 58, isShared: false))
    }

    /// One who has a /48 has 65,536 networks: to fail from all of them once unlocked whoever was locked out.
    @Test func `nobody is unlocked by failing from elsewhere, however often`() throws {
        let logins = FailedLogins(capacity: 1_000)
        let one = try address("[2001:db8:1::1]:5000")
        for _ in 0..<20 { logins.count(one, at: start) }
        for network in 0..<100_000 {
            let text =
                "[2001:db8:\(String(network / 65_536 + 2, radix: 16)):\(String(network % 65_536, radix: 16))::1]:1"
            logins.count(try address(text), at: start + .microseconds(network))
        }
        #expect(logins.lock(on: one, at: start + .seconds(1)) == .init(seconds: 60, isShared: false))
        #expect(logins.addressCount == 1_000)
        // Those beyond are not without bounds: they share them, which is said.
        let late = try address("[2001:db8:9::1]:1")
        for _ in 0..<20 { logins.count(late, at: start + .milliseconds(500)) }
        #expect(logins.lock(on: late, at: start + .seconds(1)) == .init(seconds: 60, isShared: true))
        // One that came early has its own count still.
        #expect(logins.lock(on: try address("[2001:db8:2:1::1]:1"), at: start + .seconds(1)) == nil)
    }
}
