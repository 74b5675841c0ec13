import EventLog

/// The form in which observers hear events.
enum EventEnvelope: Sendable {
    /// Frames of server-sent events that carry the data as posted.
    case plain
    /// Frames whose data is the event as history shows it.
    case json
    /// Frames whose data is the event as a structured CloudEvent.
    case cloudEvents
    /// Not at all.
    case none

    /// Appends an event as streams of this form carry it.
    func append(_ event: Event, to bytes: inout [UInt8]) {
        switch self {
        case .plain: ServerSentEvent.append(event, type: event.type, data: event.data, to: &bytes)
        case .json: ServerSentEvent.append(event, type: nil, data: EventDocument.json(event), to: &bytes)
        case .cloudEvents: ServerSentEvent.append(event, type: nil, data: CloudEvent.json(event), to: &bytes)
        case .none: break
        }
    }
}
