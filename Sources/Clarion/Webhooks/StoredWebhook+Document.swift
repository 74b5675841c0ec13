import EventLog
import JSON
import MicroHTTP
import Webhooks

/// What is written to the log: a JSON object of the specification without its credentials, of these, sealed if there is
/// a master key, and of what became of the webhook.
extension StoredWebhook {
    /// - Parameter key: seals the credentials; nil leaves them plain.
    /// - Throws: ``HubError`` if they cannot be sealed.
    func document(of id: ObserverID, sealedWith key: MasterKey?) throws(HubError) -> [UInt8] {
        let credentials = JSONValue.object([
            "secret": .string(secrets.current.text),
            "previous": secrets.previous.map { retiring in
                ["secret": .string(retiring.secret.text), "until": JSONValue(retiring.until)]
            } ?? .null,
            "headers": specification.sensitiveHeaders,
        ])
        return JSONValue.object([
            "specification": .object(specification.json()),
            "credentials": try key.map { key throws(HubError) in
                .string(try key.seal(credentials.bytes, for: id))
            } ?? credentials,
            "createdBy": JSONValue(createdBy),
            "owner": JSONValue(owner),
            "tag": JSONValue(tag),
            "disabledReason": JSONValue(disabledReason),
            "consent": consent.map { consent in
                ["url": .string(consent.url.description), "perMinute": JSONValue(consent.given.perMinute)]
            } ?? .null,
        ]).bytes
    }

    /// Reads what was written, with or without a master key: what is plain may be read also if there is one.
    ///
    /// - Throws: ``HubError`` if the credentials are sealed and `key` does not open them; `Problem` if the document was
    ///   not written by this type.
    init(document: [UInt8], of id: ObserverID, key: MasterKey?) throws {
        let members = try JSONMembers(stored: JSONValue(parsing: document) ?? .null)
        let specification = members.value("specification") ?? .null
        disabledReason = try members.string("disabledReason")
        createdBy = try members.string("createdBy")
        owner = try members.string("owner")
        tag = try members.string("tag")
        consent = try members.value("consent").map(Self.consent)
        let stored = members.value("credentials") ?? .null
        let credentials = try JSONMembers(stored: try Self.open(stored, of: id, key: key), at: "credentials")
        guard let secret = try credentials.string("secret") else { throw credentials.problem("secret", "is missing") }
        var previous: SigningSecrets.Retiring?
        if let value = credentials.value("previous") {
            let members = try JSONMembers(stored: value, at: "credentials/previous")
            guard let secret = try members.string("secret"),
                let until = try members.number("until").flatMap({ Int64(exactly: $0) })
            else { throw credentials.problem("previous", "is incomplete") }
            previous = SigningSecrets.Retiring(try SigningSecret(secret), until: until)
        }
        secrets = SigningSecrets(try SigningSecret(secret), previous: previous)
        // What was accepted once is not refused later because new registrations must be https.
        self.specification = try WebhookSpecification(
            specification.merging(["headers": credentials.value("headers") ?? [:]]),
            httpsOnly: false
        )
    }

    private static func consent(_ stored: JSONValue) throws -> Consent {
        let members = try JSONMembers(stored: stored, at: "consent")
        guard let url = try members.string("url") else { throw members.problem("url", "is missing") }
        let perMinute = try members.integer("perMinute", in: DeliveryConsent.perMinuteBounds)
        return Consent(url: try WebhookURL(url, httpsOnly: false), given: DeliveryConsent(perMinute: perMinute))
    }

    private static func open(_ stored: JSONValue, of id: ObserverID, key: MasterKey?) throws -> JSONValue {
        guard case .string(let sealed) = stored else { return stored }
        guard let key else { throw HubError.masterKeyMissing(id) }
        return JSONValue(parsing: try key.open(sealed, for: id)) ?? .null
    }
}
