import EventLog
import JSON
import MicroHTTP

/// An event as JSON, as history shows it.
enum EventDocument {
    /// `{"id", "topic", "type", "time", "contentType", "traceparent"?, "data" | "dataBase64"}`: data that is JSON by its
    /// content type is embedded as it was posted, text as a string, everything else in base64.
    static func json(_ event: Event) -> [UInt8] {
        var json = JSONText()
        json.member("id", ascii: event.id.write)
        json.member("topic", event.topic.name)
        json.member("type", event.type)
        json.member("time", ascii: event.time.writeRFC3339)
        json.member("contentType", event.contentType)
        if let traceparent = event.traceparent { json.member("traceparent", traceparent) }
        json.data(of: event, base64: "dataBase64", brokenJSONAsText: true)
        return json.object()
    }

    /// How many bytes ``json(_:)`` has, about, without making them.
    static func size(_ event: Event) -> Int {
        var names = [event.topic.name, event.type, event.contentType].reduce(0) { $0 + ($1?.utf8.count ?? 4) }
        // That of a trace.
        if event.attributes != nil { names += 72 }
        let isJSON = ContentType.isJSON(event.contentType)
        if isJSON, JSONDocument.isValid(event.data) { return 160 + names + event.data.count }
        guard UTF8Check.isValid(event.data) else { return 160 + names + event.data.count / 3 * 4 }
        return 160 + names + JSONText.size(of: event.data)
    }

    /// What a post is answered with.
    static func receipt(_ event: Event) -> [UInt8] {
        var json = JSONText()
        json.member("id", ascii: event.id.write)
        json.member("topic", event.topic.name)
        json.member("time", ascii: event.time.writeRFC3339)
        return json.object()
    }

    /// What a batch is answered with: `{"events": […]}`.
    static func receipt(_ events: [Event]) -> [UInt8] {
        var body = Array("{\"events\":[".utf8)
        for (index, event) in events.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += receipt(event)
        }
        return body + Array("]}".utf8)
    }
}
