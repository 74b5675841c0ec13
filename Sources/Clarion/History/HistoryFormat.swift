import EventLog
import MicroHTTP

/// How a page of history is written: as one document, or as a line for each event.
enum HistoryFormat: Sendable {
    case json, lines

    var contentType: String {
        switch self {
        case .json: "application/json"
        case .lines: "application/x-ndjson"
        }
    }

    /// What stands before the first event.
    var beginning: [UInt8] {
        switch self {
        case .json: Array("{\"events\":[".utf8)
        case .lines: []
        }
    }

    /// Appends an event.
    func append(_ event: Event, isFirst: Bool, to bytes: inout [UInt8]) {
        switch self {
        case .json:
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            bytes += EventDocument.json(event)
        case .lines:
            bytes += EventDocument.json(event)
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    /// What stands after the last event.
    func ending(next: EventID?) -> [UInt8] {
        switch self {
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
