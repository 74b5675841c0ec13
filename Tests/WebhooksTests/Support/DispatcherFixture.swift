import Logging
import Posix
import Testing

@testable import Webhooks

/// A running dispatcher over a store in memory, with loopback allowed.
struct DispatcherFixture {
    let store: MemoryStore
    let dispatcher: WebhookDispatcher
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    init(
        schedule: [Duration] = [.milliseconds(20), .milliseconds(20)],
        jitter: Double = 0,
        totalTimeout: Duration = .seconds(15),
        connectTimeout: Duration = .seconds(5),
        allowing: [String] = ["127.0.0.0/8", "::1"],
        maxInFlight: Int = 1024,
        httpsOnly: Bool = false,
        proxy: String? = nil,
        clock: @escaping @Sendable () -> Int64 = MemoryStore.machineTime,
        timeOfDay: @escaping @Sendable () -> Int64 = { Int64(SystemClock.timeOfDay.milliseconds) }
    ) throws {
        let store = MemoryStore(clock: clock, timeOfDay: timeOfDay)
        self.store = store
        var configuration = WebhookConfiguration(userAgent: "clarion/test")
        configuration.connectTimeout = connectTimeout
        configuration.totalTimeout = totalTimeout
        configuration.retryPolicy = RetryPolicy(schedule: schedule, jitter: jitter)
        configuration.allowEgress = try allowing.map { text throws(WebhookError) in try CIDRBlock(text) }
        configuration.httpsOnly = httpsOnly
        configuration.maxInFlight = maxInFlight
        configuration.proxy = try proxy.map { text throws(WebhookError) in try EgressProxy(text) }
        dispatcher = WebhookDispatcher(
            store: store,
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        dispatcher.start()
    }

    func endpoint(
        _ id: String,
        _ url: String,
        headers: [CustomHeader] = [],
        secrets: [String] = [Self.secret],
        secondUntil: Int64 = .max,
        maxInFlight: Int = 16,
        isEnabled: Bool = true,
        ordered: Bool = false,
        ratePerSecond: Double? = nil
    ) throws -> Endpoint {
        Endpoint(
            id: id,
            url: try WebhookURL(url, httpsOnly: false),
            headers: headers,
            secrets: SigningSecrets(
                try SigningSecret(secrets[0]),
                previous: secrets.count < 2 ? nil : .init(try SigningSecret(secrets[1]), until: secondUntil)
            ),
            maxInFlight: maxInFlight,
            isEnabled: isEnabled,
            ordered: ordered,
            ratePerSecond: ratePerSecond
        )
    }

    /// Runs a test's body against a receiver; ends both whatever the body does.
    func run(_ receivers: Receiver..., body: () async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do {
            try await body()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await dispatcher.shutdown(grace: .zero)
        for receiver in receivers { receiver.stop() }
        try result.get()
    }
}
