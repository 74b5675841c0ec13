import EventLog
import MicroHTTP
import Webhooks

/// A webhook as the log keeps it: the specification, its secret, and why it was disabled, if it was.
struct StoredWebhook: Sendable {
    let specification: WebhookSpecification
    let secret: SigningSecret
    /// `gone` after a 410; nil while the hub delivers.
    let disabledReason: String?

    init(specification: WebhookSpecification, secret: SigningSecret, disabledReason: String? = nil) {
        self.specification = specification
        self.secret = secret
        self.disabledReason = disabledReason
    }

    /// The specification with its secret, as a merge patch is applied to it.
    var patchable: JSONValue {
        .object(specification.json(showing: secret, redacted: false))
    }

    /// What is written to the log.
    var document: [UInt8] {
        JSONValue.object([
            "specification": patchable,
            "disabledReason": disabledReason.map(JSONValue.string) ?? .null,
        ]).bytes
    }

    /// Reads what was written.
    ///
    /// - Throws: a problem if the document was not written by this type.
    init(document: [UInt8]) throws(Problem) {
        var members = try JSONMembers(body: document)
        // What was accepted once is not refused later because the rules for new registrations were tightened.
        specification = try WebhookSpecification(members.value("specification") ?? .null, httpsOnly: false)
        disabledReason = try members.string("disabledReason")
        guard let secret = specification.secret else { throw JSONMembers.problem("specification/secret", "is missing") }
        self.secret = secret
    }
}
