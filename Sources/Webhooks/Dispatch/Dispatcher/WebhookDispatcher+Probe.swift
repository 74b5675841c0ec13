import Locking

/// Single attempts outside the schedule. They count among those under way, and a shutdown gives them its grace too.
extension WebhookDispatcher {
    /// Makes one attempt now, whatever the endpoint's window, rate or state, and records nothing.
    ///
    /// For trying an endpoint out. The outcome's `result` says what would have become of a scheduled delivery.
    ///
    /// - Throws: ``ProbeRefusal``.
    package func attempt(_ delivery: DueDelivery, at endpoint: Endpoint) async throws(ProbeRefusal) -> AttemptOutcome {
        let answer = try await probe(delivery, at: endpoint, purpose: .test)
        let timeOfDay = store.timeOfDay
        let result = transport.options.configuration.retryPolicy.result(
            of: answer,
            attempts: delivery.attempts + 1,
            now: store.now,
            timeOfDay: timeOfDay,
            jitter: 0
        )
        return AttemptOutcome(of: delivery, at: endpoint, answer, result, timeOfDay: timeOfDay)
    }

    /// Asks an endpoint whether it wants deliveries, in the name of ``WebhookConfiguration/origin``.
    ///
    /// - Returns: what it allows.
    /// - Throws: ``HandshakeFailure`` if it allows nothing, or cannot be reached; ``ProbeRefusal``.
    package func handshake(with endpoint: Endpoint) async throws -> DeliveryConsent {
        let origin = transport.options.configuration.origin
        let answer = try await probe(at: endpoint, purpose: .handshake(origin: origin))
        return try DeliveryConsent(answer, origin: origin)
    }

    /// Gets what is at a URL by the rules that hold for webhooks: their addresses and times, and no redirects.
    ///
    /// For what the program itself lives on, such as the keys of those who issue tokens: no capacity that webhooks take is in
    /// its way, and a shutdown gives it no grace.
    ///
    /// - Parameter length: the longest body, in bytes.
    /// - Returns: the body of a 200.
    /// - Throws: ``FetchFailure``.
    package func fetch(_ url: WebhookURL, atMost length: Int) async throws(FetchFailure) -> [UInt8] {
        // Signs nothing.
        let endpoint = Endpoint(id: "", url: url, secrets: SigningSecrets(.generate()))
        guard let answer = try? await probe(at: endpoint, purpose: .fetch(atMost: length)) else {
            throw FetchFailure(description: "no attempt can be made at this moment")
        }
        guard answer.failure == nil, answer.status == 200 else {
            throw FetchFailure(description: answer.message ?? "the server answered \(answer.status ?? 0)")
        }
        return answer.responsePrefix
    }

    /// Whether any single attempt is under way that somebody waits for.
    package var isProbing: Bool { state.withLock { $0.probes.values.contains { !$0.isFetch } } }

    struct Probe {
        let continuation: CheckedContinuation<Result<AttemptAnswer, ProbeRefusal>, Never>
        let isFetch: Bool
    }

    private func probe(
        _ delivery: DueDelivery = DueDelivery(id: 0, eventID: "", topic: "", body: []),
        at endpoint: Endpoint,
        purpose: TransportRequest.Purpose
    ) async throws(ProbeRefusal) -> AttemptAnswer {
        let destination = Destination(endpoint)
        let result: Result<AttemptAnswer, ProbeRefusal> = await withCheckedContinuation { continuation in
            do throws(ProbeRefusal) {
                try state.withLock { state throws(ProbeRefusal) in
                    guard state.pump != nil else { throw .stopping }
                    let now = store.now
                    let request = try state.scheduler.takeProbe(delivery, at: destination, purpose: purpose, now: now)
                    state.probes[request.token] = Probe(continuation: continuation, isFetch: purpose.isFetch)
                    transport.submit([request])
                }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try result.get()
    }
}

/// Why nothing was got from a URL, as a sentence.
package struct FetchFailure: Error, CustomStringConvertible {
    package let description: String
}
