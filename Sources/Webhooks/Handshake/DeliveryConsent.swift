import Notation

/// What an endpoint allows that was asked whether it wants deliveries.
///
/// Source: CloudEvents, "HTTP 1.1 Web Hooks for Event Delivery" 1.0.2, section 4, "Abuse Protection".
package struct DeliveryConsent: Sendable, Hashable {
    /// What ``perMinute`` may be: every JSON number holds it exactly (RFC 7493 section 2.2). Beyond it nothing is bounded.
    package static let perMinuteBounds = 1...9_007_199_254_740_991

    /// The most deliveries in a minute, within ``perMinuteBounds``; `nil` for any number.
    package var perMinute: Int?

    package init(perMinute: Int? = nil) { self.perMinute = perMinute }

    /// What an answer means to one who asked in the name of `origin`.
    ///
    /// - Throws: ``HandshakeFailure`` unless the answer is 2xx and allows exactly that origin, or any.
    init(_ answer: AttemptAnswer, origin: String) throws(HandshakeFailure) {
        if let failure = answer.failure {
            throw HandshakeFailure(reason: failure.rawValue, message: answer.message ?? "the endpoint did not answer")
        }
        guard let allowed = answer.allowedOrigin else {
            throw .notAllowed("the answer has no WebHook-Allowed-Origin")
        }
        // Byte by byte: another spelling of a name is another name.
        guard allowed == "*" || allowed.utf8.elementsEqual(origin.utf8) else {
            throw .notAllowed("WebHook-Allowed-Origin does not name \(origin)")
        }
        // What is no such number bounds nothing, as `*` says in so many words.
        perMinute = answer.allowedRate.flatMap { text in
            Int(digits: text.utf8).flatMap { Self.perMinuteBounds.contains($0) ? $0 : nil }
        }
    }
}

/// Why an endpoint that was asked for its consent is not delivered to.
package struct HandshakeFailure: Error, Sendable, Hashable {
    /// A ``FailureClass``, or `not-allowed` if the endpoint answered and did not consent.
    package let reason: String

    /// One sentence for whoever registers the endpoint. Repeats nothing of the answer.
    package let message: String

    static func notAllowed(_ message: String) -> HandshakeFailure {
        HandshakeFailure(reason: "not-allowed", message: message)
    }
}
