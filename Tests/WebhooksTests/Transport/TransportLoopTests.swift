import Locking
import Posix
import Testing

@testable import Webhooks

@Suite("TransportLoop")
struct TransportLoopTests {
    @Test("a turn takes in some of the answers that are there, so that what comes meanwhile waits for no more")
    func turns() async throws {
        let release = Semaphore()
        let receiver = try Receiver { _ in
            _ = release.wait(atMost: .seconds(60))
            return .status(204)
        }
        var configuration = WebhookConfiguration()
        configuration.allowEgress = [try CIDRBlock("127.0.0.0/8")]
        let options = TransportOptions(configuration, cores: 1)
        guard var loop = TransportLoop(keptConnections: 32, options: options, store: MemoryStore()) else {
            Issue.record("libcurl cannot be initialised")
            return
        }
        let url = try WebhookURL(receiver.url, httpsOnly: false)
        let destination = Destination(Endpoint(id: "a", url: url, secrets: SigningSecrets(.generate())))
        loop.begin(
            (0..<20).map { token in
                TransportRequest(
                    token: token,
                    standing: .prompt,
                    thread: .steady(0),
                    destination: destination,
                    delivery: DueDelivery(id: Int64(token), eventID: "e", topic: "t", body: [])
                )
            }
        )
        var early = 0
        let deadline = ContinuousClock.now + .seconds(60)
        while receiver.requests.count < 20, ContinuousClock.now < deadline { early += loop.turn().count }
        #expect(receiver.requests.count == 20 && early == 0)
        for _ in 0..<20 { release.signal() }
        while !receiver.isIdle, ContinuousClock.now < deadline {}
        var turns: [Int] = []
        while turns.reduce(0, +) < 20, ContinuousClock.now < deadline {
            loop.wait(milliseconds: 60_000)
            turns.append(loop.turn().count)
        }
        #expect(turns.reduce(0, +) == 20 && turns.allSatisfy { $0 <= 8 }, "\(turns)")
        loop.abortAll()
        receiver.stop()
    }
}
