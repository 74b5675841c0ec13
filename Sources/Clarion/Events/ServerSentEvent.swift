import EventLog
import FoundationEssentials
import MicroHTTP

/// The wire format of streams (WHATWG HTML, "Server-sent events", section 9.2.5).
enum ServerSentEvent {
    /// What a stream begins with: the reconnection time in milliseconds, and a comment so that `onopen` fires at once.
    static let prelude = Array("retry: 3000\n: clarion\n\n".utf8)

    /// What silence is broken with, so that proxies and clients keep the connection.
    static let keepAlive = Frame(Array(": keep-alive\n\n".utf8))

    /// What a stream ends with at shutdown: come back after 1 to 5 s, not all at once.
    static func goodbye() -> Frame {
        Frame(Array("retry: \(Int.random(in: 1000...5000))\n\n".utf8))
    }

    /// Appends one event: `id:` always, `event:` if it has a type, and a `data:` line per line of its data.
    static func append(_ event: Event, data: [UInt8], to bytes: inout [UInt8]) {
        let isText = UTF8Check.isValid(data)
        if !isText { bytes.append(contentsOf: ": base64\n".utf8) }
        bytes.append(contentsOf: "id: ".utf8)
        bytes.append(contentsOf: event.id.description.utf8)
        if let type = event.type {
            bytes.append(contentsOf: "\nevent: ".utf8)
            bytes.append(contentsOf: type.utf8)
        }
        bytes.append(newline)
        if isText {
            appendData(data, to: &bytes)
        } else {
            appendData(Array(Data(data).base64EncodedData()), to: &bytes)
        }
        bytes.append(newline)
    }

    /// Tells that history is gone (the `gap` event of http-api.md). It has no `id:`, so a client's position stays.
    static func gap(after asked: String, resumed: EventID?, reason: GapReason) -> [UInt8] {
        var json = JSONText()
        json.member("after", asked)
        if let resumed {
            json.member("resumed", resumed.description)
        } else {
            json.member("resumed", json: "null".utf8)
        }
        json.member("reason", reason.rawValue)
        return Array("event: gap\ndata: ".utf8) + json.object + Array("\n\n".utf8)
    }

    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// One `data:` line per line; CRLF, CR and LF all end one.
    private static func appendData(_ data: [UInt8], to bytes: inout [UInt8]) {
        var start = data.startIndex
        while true {
            bytes.append(contentsOf: "data: ".utf8)
            guard let end = data[start...].firstIndex(where: { $0 == newline || $0 == carriageReturn }) else {
                bytes.append(contentsOf: data[start...])
                bytes.append(newline)
                return
            }
            bytes.append(contentsOf: data[start..<end])
            bytes.append(newline)
            start = end + 1
            if data[end] == carriageReturn, start < data.endIndex, data[start] == newline { start += 1 }
        }
    }
}

/// Why a stream could not resume where it was asked to.
enum GapReason: String, Sendable {
    /// The log no longer reaches back that far.
    case retention
    /// The log never had that id.
    case unknownID = "unknown-id"
}
