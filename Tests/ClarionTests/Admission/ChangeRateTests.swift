import EventLog
import Webhooks
import Testing

@testable import Clarion
@testable import MicroHTTP

@Suite struct ChangeRateTests {
    private let start = ContinuousClock.now

    private func request(from address: String) throws -> Request {
        let request = try Request(fields: [], from: address)
        return request
    }

    /// How many changes of a series are let pass.
    private func passed(
        _ rate: ChangeRate,
        _ times: some Sequence<Duration>,
        from address: String = "192.0.2.1:1"
    ) throws -> Int {
        let request = try request(from: address)
        return times.count { time in
            do throws(Problem) {
                try rate.take(request, by: nil, at: start + time)
                return true
            } catch {
                return false
            }
        }
    }

    @Test(arguments: [1, 2, 3, 7, 10, 999, 1_000_000])
    func `a burst of two seconds, and then the rate, exactly`(perSecond: Int) throws {
        let rate = ChangeRate(perSecond: perSecond)
        let burst = min(2 * perSecond, 20_000)
        if perSecond <= 10_000 {
            #expect(try passed(rate, repeatElement(.zero, count: burst + 100)) == burst)
            // Of a hundred times as many, evenly over ten seconds.
            let count = 100 * 10 * min(perSecond, 100)
            let times = (1...count).map { Duration.milliseconds(10_000 * $0 / count) }
            let expected = 10 * min(perSecond, count / 10)
            #expect(abs(try passed(rate, times) - expected) <= 1)
        }
        // After a rest there is the whole burst again, and no more.
        #expect(try passed(rate, repeatElement(.seconds(1_000), count: burst)) == burst)
        if perSecond <= 10_000 { #expect(try passed(rate, repeatElement(.seconds(1_000), count: 10)) == 0) }
    }

    @Test func `what is told who must wait`() throws {
        let rate = ChangeRate(perSecond: 5)
        _ = try passed(rate, repeatElement(.zero, count: 10))
        let problem = #expect(throws: Problem.self) {
            try rate.take(try request(from: "192.0.2.1:9"), by: nil, at: start)
        }
        #expect(problem?.status == .tooManyRequests)
        #expect(problem?.code == "rate-limited")
        let fields = Dictionary(uniqueKeysWithValues: problem?.headers ?? [])
        #expect(fields["Retry-After"] == "1")
        #expect(fields["RateLimit"] == "\"changes\";r=0;t=1")
        #expect(fields["RateLimit-Policy"] == "\"changes\";q=10;w=2")
    }

    @Test func `networks are told apart, and not the addresses in one`() throws {
        let rate = ChangeRate(perSecond: 1)
        for host in 1...2 { #expect(try passed(rate, [.zero], from: "[2001:db8::\(host)]:1") == 1) }
        #expect(try passed(rate, [.zero], from: "[2001:db8::3]:1") == 0)
        #expect(try passed(rate, [.zero], from: "[2001:db8:0:1::3]:1") == 1)
        #expect(try passed(rate, [.zero, .zero, .zero], from: "192.0.2.1:1") == 2)
        #expect(try passed(rate, [.zero], from: "192.0.2.1:2") == 0)
        #expect(try passed(rate, [.zero], from: "192.0.2.2:2") == 1)
    }

    @Test func `coming from a million addresses takes no room, and gives nobody a fresh burst`() throws {
        let rate = ChangeRate(perSecond: 1)
        #expect(try passed(rate, [.zero, .zero, .zero]) == 2)
        for network in 0..<200_000 {
            let text = "[2001:db8:\(String(network / 65_536, radix: 16)):\(String(network % 65_536, radix: 16))::1]:1"
            _ = try passed(rate, [.microseconds(network)], from: text)
        }
        #expect(rate.addressCount == 65_536)
        #expect(try passed(rate, [.milliseconds(500)]) == 0)
        #expect(try passed(rate, [.milliseconds(1_001), .milliseconds(1_002)]) == 1)
    }
}
