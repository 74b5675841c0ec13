import Clarion
import Testing

/// What a program can name that imports `Clarion` alone, as this file does.
@Suite struct ExportsTests {
    @Test func whatTheInterfaceSpeaksOfHasNames() async throws {
        var configuration = HubConfiguration(storage: .inMemory, durability: .memory)
        configuration.listens = false
        let certificate: ServerCertificate? = configuration.server.certificate
        #expect(certificate == nil)
        let network: IPAddress = try CIDRBlock("10.0.0.0/8").network
        #expect("\(network)" == "10.0.0.0")
        let hub = try await Hub.start(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        do throws(CredentialsError) {
            try hub.reloadCredentials()
        } catch {
            Issue.record("\(error)")
        }
        await hub.shutdown(grace: .zero)
    }
}
