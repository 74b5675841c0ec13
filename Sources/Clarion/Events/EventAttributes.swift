import EventLog
import JSON

/// What an event carries beside its data: kept with it as a JSON object.
struct EventAttributes {
    /// The W3C trace context of the post.
    var traceparent: String?

    /// How many deliveries of hubs it has gone through: 0 for one that was posted by whoever made it.
    var hops = 0

    /// The attributes of an event that was posted as a CloudEvent.
    var cloudEvent: CloudEventContext?

    init(traceparent: String? = nil, hops: Int = 0, cloudEvent: CloudEventContext? = nil) {
        self.traceparent = traceparent
        self.hops = hops
        self.cloudEvent = cloudEvent
    }

    /// Reads what was stored.
    init(_ stored: [UInt8]?) {
        guard let stored, let document = JSONValue(parsing: stored) else { return }
        traceparent = document["traceparent"]?.text
        hops = document["hops"]?.number ?? 0
        cloudEvent = CloudEventContext(document["cloudEvent"])
    }

    /// What is stored; nil if there is nothing to keep.
    var stored: [UInt8]? {
        guard traceparent != nil || hops > 0 || cloudEvent != nil else { return nil }
        var members: [String: JSONValue] = [:]
        members["traceparent"] = traceparent.map(JSONValue.string)
        if hops > 0 { members["hops"] = JSONValue(hops) }
        members["cloudEvent"] = cloudEvent?.json
        return JSONValue.object(members).bytes
    }
}

extension Event {
    /// The trace context of the post, if it carried one.
    var traceparent: String? { attributes.flatMap { EventAttributes($0).traceparent } }
}
