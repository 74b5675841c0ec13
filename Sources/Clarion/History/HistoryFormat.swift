import EventLog
import MicroHTTP

/// How a page of history is written.
struct HistoryFormat: Sendable {
    enum Layout: Sendable {
        /// As one document.
        case json
        /// As a line for each event.
        case lines
    }

    let layout: Layout
    /// What an event is given as: `cloudevents`, or else as ``EventDocument``.
    let envelope: EventEnvelope

    var contentType: String {
        switch layout {
        case .json: "application/json"
        case .lines: "application/x-ndjson"
        }
    }

    /// What stands before the first event.
    var beginning: [UInt8] {
        switch layout {
        case .json: Array("{\"events\":[".utf8)
        case .lines: []
        }
    }

    /// Appends an event.
    func append(_ event: Event, isFirst: Bool, to bytes: inout [UInt8]) {
        if layout == .json, !isFirst { bytes.append(UInt8(ascii: ",")) }
        bytes += envelope == .cloudEvents ? CloudEvent.json(event) : EventDocument.json(event)
        if layout == .lines { bytes.append(UInt8(ascii: "\n")) }
    }

    /// What stands after the last event.
    func ending(next: EventID?) -> [UInt8] {
        switch layout {
        case .json:
            var bytes = Array("],\"next\":".utf8)
            if let next {
                JSONText.append(next.description, to: &bytes)
            } else {
                bytes += Array("null".utf8)
            }
            bytes += Array("}\n".utf8)
            return bytes
        case .lines: return []
        }
    }
}
