import EventLog
import FoundationEssentials
import MicroHTTP

/// An event as structured CloudEvents JSON (CloudEvents 1.0, JSON event format, section 3): an envelope that knows its
/// topic, for clients that follow several.
enum CloudEvent {
    /// The `type` of events that were posted without one; the attribute is required.
    static let defaultType = "clarion.event"

    static func json(_ event: Event) -> [UInt8] {
        var json = JSONText()
        json.member("specversion", "1.0")
        json.member("id", event.id.description)
        json.member("source", "/topics/\(event.topic.pathSegment)")
        json.member("type", event.type ?? defaultType)
        json.member("subject", event.topic.name)
        json.member("time", event.time.rfc3339)
        if let contentType = event.contentType { json.member("datacontenttype", contentType) }
        json.data(of: event, base64: "data_base64")
        return json.object
    }
}

extension JSONText {
    /// Data that is JSON by its content type is embedded as it was posted, text as a string, everything else in base64
    /// under another name.
    mutating func data(of event: Event, base64 name: String) {
        if ContentType.isJSON(event.contentType), JSONSyntax.isValid(event.data) {
            // A line break in valid JSON is white space between tokens; without it the document stays one line.
            member("data", json: event.data.lazy.filter { $0 != 0x0A && $0 != 0x0D })
        } else if let text = String(validating: event.data, as: UTF8.self) {
            member("data", text)
        } else {
            member(name, Data(event.data).base64EncodedString())
        }
    }
}
