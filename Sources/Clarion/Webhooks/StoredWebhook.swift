import Access
import EventLog
import JSON
import MicroHTTP
import Webhooks

/// A webhook as the log keeps it: the specification, what signs, and why it was disabled, if it was.
struct StoredWebhook: Sendable {
    var specification: WebhookSpecification
    var secrets: SigningSecrets
    /// `gone` after a 410; nil while the hub delivers.
    var disabledReason: String?
    /// What the endpoint agreed to, if the client wants that it is asked.
    var consent: Consent?
    /// The name of the key or the subject of the token that it was registered with; nil if the hub was open.
    var createdBy: String?
    /// Who that is: two may have one name. Nil as well where a version before registered it.
    var owner: String?
    /// The ETag, made anew with each change; nil where a version before made the last one. Not a number of the log's, which would
    /// tell what others change.
    var tag: String?

    struct Consent: Hashable, Sendable {
        /// Whom it is of: another URL is to be asked anew.
        let url: WebhookURL
        let given: DeliveryConsent
    }

    /// One that takes the place of another, whose secret it keeps unless it is given one, or signs by another scheme.
    /// A secret that is replaced stays valid for a while, however it came to be replaced.
    ///
    /// - Parameter now: by the log's time.
    init(specification: WebhookSpecification, replacing present: StoredWebhook?, at now: Timestamp) {
        self.specification = specification
        let given = specification.secret
        guard let present else {
            secrets = SigningSecrets(given ?? .generate(specification.signature))
            return
        }
        (createdBy, owner, tag) = (present.createdBy, present.owner, present.tag)
        if specification.handshake { consent = present.consent }
        let keeps = given == nil && present.secrets.current.scheme == specification.signature
        secrets =
            keeps
            ? present.secrets
            : present.secrets.rotated(to: given ?? .generate(specification.signature), at: now.milliseconds)
    }

    /// It is registered with a credential.
    mutating func register(by principal: Principal?) {
        (createdBy, owner) = (principal?.name, principal?.id.digest)
    }

    /// It differs from what was there.
    mutating func renewTag() { tag = ObserverID.randomText() }

    /// Whether the endpoint is to be asked before anything is delivered to it.
    var needsConsent: Bool { specification.handshake && consent?.url != specification.url }

    /// Where its deliveries go, and how. As fast as client and endpoint both allow.
    func endpoint(of id: ObserverID) -> Endpoint {
        let rates = [specification.ratePerSecond, consent?.given.perMinute.map { Double($0) / 60 }]
        var endpoint = Endpoint(id: id.description, url: specification.url, secrets: secrets)
        endpoint.headers = specification.headers
        endpoint.maxInFlight = specification.maxInFlight
        endpoint.isEnabled = specification.enabled && disabledReason == nil
        endpoint.ordered = specification.ordered
        endpoint.ratePerSecond = rates.compactMap(\.self).min()
        endpoint.format = specification.format
        endpoint.owner = owner ?? createdBy
        return endpoint
    }

    /// What a merge patch is applied to: the specification with its credentials, but for the secret.
    var patchable: JSONValue {
        .object(specification.json(redacted: false))
    }
}
