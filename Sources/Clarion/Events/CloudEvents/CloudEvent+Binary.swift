import EventLog
import JSON

/// Binary mode: attributes in header fields, the data is the body (CloudEvents 1.0.2, HTTP protocol binding, section 3.1).
extension CloudEvent {
    /// The header fields of an event and what its data is. They say what ``json(_:)`` does.
    static func binary(
        _ event: Event,
        _ context: CloudEventContext?
    ) -> (headers: [(name: String, value: String)], contentType: String?) {
        var fields: [(name: String, value: String)] = [("ce-specversion", "1.0")]
        func add(_ name: String, _ text: String) {
            fields.append(("ce-\(name)", CloudEventHeaderValue.encode(text)))
        }
        guard let context else {
            add("id", event.id.description)
            add("source", source(of: event))
            add("type", event.type ?? defaultType)
            add("subject", event.topic.name)
            add("time", event.time.rfc3339)
            return (fields, event.contentType)
        }
        add("type", event.type ?? defaultType)
        for (name, value) in context.attributes.sorted(by: { $0.key < $1.key }) where name != "datacontenttype" {
            switch value {
            case .string(let text): add(name, text)
            // Whole numbers and booleans have the same canonical text as in JSON ("Type System").
            default: add(name, String(decoding: value.bytes, as: UTF8.self))
            }
        }
        add(CloudEventAttributes.id, event.id.description)
        add(CloudEventAttributes.topic, event.topic.name)
        // What JSON leaves out is said here: without a type the data would no longer be JSON.
        let implied = context.dataForm == .json ? ContentType.json : nil
        return (fields, context.text("datacontenttype") ?? implied)
    }
}
