import EventLog
import FoundationEssentials
import JSON
import MicroHTTP

/// An event as structured CloudEvents JSON (CloudEvents 1.0, JSON event format, section 3): an envelope that knows its
/// topic, for clients that follow several.
enum CloudEvent {
    static let mediaType = "application/cloudevents+json"

    /// The `type` of events that were posted without one; the attribute is required.
    static let defaultType = "clarion.event"

    /// The attribute of the distributed tracing extension.
    private static let traceparentName = "traceparent"

    static func json(_ event: Event) -> [UInt8] {
        guard let stored = event.attributes, let context = EventAttributes(stored).cloudEvent else {
            return json(plain: event)
        }
        return json(event, context)
    }

    /// The `source` of events that were posted without attributes.
    static func source(of event: Event) -> String { "/topics/\(event.topic.pathSegment)" }

    /// An event that was posted without attributes: they are made of what the hub knows.
    private static func json(plain event: Event) -> [UInt8] {
        var json = JSONText()
        json.member("specversion", "1.0")
        json.member("id", ascii: event.id.write)
        json.member("source", source(of: event))
        json.member("type", event.type ?? defaultType)
        json.member("subject", event.topic.name)
        json.member("time", ascii: event.time.writeRFC3339)
        if let contentType = event.contentType { json.member("datacontenttype", contentType) }
        if let traceparent = event.traceparent { json.member(traceparentName, traceparent) }
        // A string would be taken for a value of JSON.
        json.data(of: event, base64: "data_base64", brokenJSONAsText: false)
        return json.object()
    }

    /// An event that was posted as a CloudEvent: equal to that, but for the hub's own id and the topic, which are
    /// extension attributes.
    private static func json(_ event: Event, _ context: CloudEventContext) -> [UInt8] {
        var json = JSONText()
        json.member("specversion", "1.0")
        json.member("type", event.type ?? defaultType)
        for (name, value) in context.attributes.sorted(by: { $0.key < $1.key }) {
            switch value {
            case .string(let text): json.member(name, text)
            default: json.member(name, json: value.bytes)
            }
        }
        // One that its producer gave it stands.
        if context.attributes[traceparentName] == nil, let traceparent = event.traceparent {
            json.member(traceparentName, traceparent)
        }
        json.member(CloudEventAttributes.id, ascii: event.id.write)
        json.member(CloudEventAttributes.topic, event.topic.name)
        switch context.dataForm {
        case .none: break
        case .json: json.member("data", json: event.data.withoutLineBreaks)
        case .text: json.member("data", String(decoding: event.data, as: UTF8.self))
        case .base64: json.member("data_base64", Data(event.data).base64EncodedString())
        }
        return json.object()
    }
}

extension JSONText {
    /// Data that is JSON by its content type is embedded as it was posted, text as a string, everything else in base64
    /// under another name.
    ///
    /// - Parameter brokenJSONAsText: whether data that is no JSON, although its content type says so, may be a string.
    mutating func data(of event: Event, base64 name: String, brokenJSONAsText: Bool) {
        let isJSON = ContentType.isJSON(event.contentType)
        if isJSON, JSONDocument.isValid(event.data) {
            member("data", json: event.data.withoutLineBreaks)
        } else if !isJSON || brokenJSONAsText, let text = String(validating: event.data, as: UTF8.self) {
            member("data", text)
        } else {
            member(name, Data(event.data).base64EncodedString())
        }
    }
}

extension [UInt8] {
    /// A line break in valid JSON is white space between tokens; without it the document stays one line.
    fileprivate var withoutLineBreaks: [UInt8] {
        contains { $0 == 0x0A || $0 == 0x0D } ? filter { $0 != 0x0A && $0 != 0x0D } : self
    }
}
