import EventLog
import MicroHTTP

/// An event as JSON, as history shows it.
enum EventDocument {
    /// `{"id", "topic", "type", "time", "contentType", "data" | "dataBase64"}`: data that is JSON by its content type
    /// is embedded as it was posted, text as a string, everything else in base64.
    static func json(_ event: Event) -> [UInt8] {
        var json = JSONText()
        json.member("id", event.id.description)
        json.member("topic", event.topic.name)
        if let type = event.type {
            json.member("type", type)
        } else {
            json.member("type", json: "null".utf8)
        }
        json.member("time", event.time.rfc3339)
        if let contentType = event.contentType {
            json.member("contentType", contentType)
        } else {
            json.member("contentType", json: "null".utf8)
        }
        json.data(of: event, base64: "dataBase64")
        return json.object
    }

    /// What a post is answered with.
    static func receipt(_ event: Event) -> [UInt8] {
        var json = JSONText()
        json.member("id", event.id.description)
        json.member("topic", event.topic.name)
        json.member("time", event.time.rfc3339)
        return json.object
    }
}

/// The rules of content types.
enum ContentType {
    /// `application/json` or any `+json` (RFC 6839), whatever its parameters.
    static func isJSON(_ contentType: String?) -> Bool {
        guard let essence = contentType.map(essence) else { return false }
        return essence == "application/json" || essence.hasSuffix("+json")
    }

    /// The type and subtype in lower case, without parameters.
    static func essence(_ contentType: String) -> String {
        String(contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }).lowercased()
    }

    /// What an event's data is stored as. What `curl -d` claims of its data, a form, and no claim at all, both mean
    /// plain data: text if it reads as such.
    static func stored(_ claimed: String?, data: [UInt8]) -> String {
        if let claimed, !claimed.isEmpty, essence(claimed) != "application/x-www-form-urlencoded" { return claimed }
        return UTF8Check.isValid(data) ? "text/plain; charset=utf-8" : "application/octet-stream"
    }
}
