import Logging
import Posix
import Testing

@testable import Webhooks

@Suite("TransportOptions")
struct TransportOptionsTests {
    private func refusal(of url: String, at address: UInt32, proxy: String? = nil) throws -> String? {
        var configuration = WebhookConfiguration()
        configuration.proxy = try proxy.map { try EgressProxy($0) }
        let options = TransportOptions(configuration)
        let url = try WebhookURL(url, httpsOnly: false)
        return options.refusal(of: url, at: IPAddress(family: .v4, bits: UInt128(address)))
    }

    @Test("what a name of a private network leads to is not told")
    func names() throws {
        let refusal = try #require(try refusal(of: "http://vault.corp:8200/", at: 0x0A01_0203))
        #expect(
            refusal
                == "vault.corp leads to an address that is not public; to allow it, give its range to --allow-egress"
        )
        #expect(try self.refusal(of: "http://vault.corp/", at: 0x0808_0808) == nil)
        #expect(try self.refusal(of: "http://vault.corp/", at: 0x0A01_0203, proxy: "http://10.0.0.1:3128") == nil)
    }

    @Test(
        "an address that stands in the URL, and the machine's own, is named",
        arguments: ["10.1.2.3", "localhost", "a.localhost"]
    )
    func addresses(host: String) throws {
        #expect(try refusal(of: "http://\(host)/", at: 0x0A01_0203)?.contains("--allow-egress 10.0.0.0/8") == true)
    }

    @Test(
        "all threads together keep no more connections than there may be",
        arguments: [4, 5, 100, 400, 4095, 4096, 5000],
        [1, 2, 3, 64]
    )
    func connections(most: Int, cores: Int) {
        var configuration = WebhookConfiguration()
        configuration.maximumConnections = most
        let options = TransportOptions(configuration, cores: cores)
        let kept = 2 * options.keptConnections + (options.steadyThreads - 1) * options.keptBeyondFirst
        #expect(kept + options.maxInFlight <= most)
        #expect(options.steadyThreads == (most < 4096 ? 1 : min(cores, 3)))
    }

    @Test("what is less than anything makes the least", arguments: [Int.min, -1, 0])
    func least(number: Int) {
        var configuration = WebhookConfiguration()
        configuration.maxInFlight = number
        configuration.maximumConnections = number
        #expect(TransportOptions(configuration).maxInFlight == 1)
    }

    @Test("what is more than anything ends nothing")
    func most() {
        var configuration = WebhookConfiguration()
        configuration.maxInFlight = .max
        configuration.maximumConnections = .max
        let dispatcher = WebhookDispatcher(
            store: MemoryStore(),
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        #expect(!dispatcher.isProbing)
    }
}
