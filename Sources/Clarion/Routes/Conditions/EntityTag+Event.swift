import EventLog

/// The tags of events. What is one is never changed, so its id names it; each representation has a tag of its own, or a
/// client that has one of them would be told that it has the other (RFC 9110 section 8.8.3).
extension EntityTag {
    /// The tag of an event's data.
    init(data event: Event) {
        self.init(event.id.description)
    }

    /// The tag of an event as a CloudEvent. No id has a dot.
    init(cloudEvent event: Event) {
        self.init(event.id.description + Self.cloudEventSuffix)
    }

    /// The event that it is a tag of, in whichever representation; nil if it is that of none.
    var event: EventID? {
        let suffix = Self.cloudEventSuffix.utf8
        let isCloudEvent = opaque.suffix(suffix.count).elementsEqual(suffix)
        return EventID(String(decoding: isCloudEvent ? opaque.dropLast(suffix.count) : opaque[...], as: UTF8.self))
    }

    private static let cloudEventSuffix = ".cloudevent"
}
