import Crypto
import EventLog
import MicroHTTP
import Notation

/// A CloudEvent as it was posted, in whichever mode.
struct PostedCloudEvent {
    let type: String
    let context: CloudEventContext
    /// What its data is stored as; nil if it has none and does not say.
    let contentType: String?
    let data: [UInt8]

    /// - Parameter contentType: what to store the data as.
    init(_ attributes: CloudEventAttributes, dataForm: CloudEventContext.DataForm, contentType: String?, data: [UInt8])
    {
        type = attributes.type
        context = CloudEventContext(attributes: attributes.others, dataForm: dataForm)
        self.contentType = contentType
        self.data = data
    }

    /// The text of the idempotency key that `source` and `id` make: together they tell an event from all others.
    ///
    /// It begins with what no client's own key can have, and is a digest because the two may be of any length.
    var key: String {
        var digest = SHA256()
        for part in [context.text("source") ?? "", context.text("id") ?? ""] {
            digest.update(data: Array(part.utf8))
            digest.update(data: [0])
        }
        return "\n" + String(hexadecimal: Array(digest.finalize()))
    }
}
