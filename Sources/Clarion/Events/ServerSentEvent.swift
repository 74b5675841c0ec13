import JSON
import EventLog
import FoundationEssentials
import MicroHTTP

/// The wire format of streams (WHATWG HTML, "Server-sent events", section 9.2.5).
enum ServerSentEvent {
    // An empty line ends a block, and not every parser knows a block that holds no event: fetch-event-source yields an
    // empty one for each, httpx-sse for one with `retry:`, and for any block once an `id:` has come. So what is no event has
    // no empty line after it, and goes into the block of the next event. A parser takes in each line as it comes, also
    // those of a block that never ends.

    /// What a stream begins with: a comment and the reconnection time in milliseconds.
    static let prelude = Array(": clarion\nretry: 3000\n".utf8)

    /// What silence is broken with, so that proxies and clients keep the connection.
    static let keepAlive = Frame(Array(": keep-alive\n".utf8))

    /// What a stream ends with at shutdown: come back after 1 to 5 s, not all at once.
    static func goodbye() -> Frame {
        Frame(Array("retry: \(Int.random(in: 1000...5000))\n: goodbye\n".utf8))
    }

    /// Appends one event: `id:` always, `event:` if there is a type, and a `data:` line per line of the data.
    ///
    /// - Parameter type: nil for an event that is to be heard as `message`, as those are that know their type themselves.
    static func append(_ event: Event, type: String?, data: [UInt8], to bytes: inout [UInt8]) {
        let isText = UTF8Check.isValid(data)
        if !isText { bytes.append(contentsOf: ": base64\n".utf8) }
        bytes.append(contentsOf: "id: ".utf8)
        bytes.append(contentsOf: event.id.description.utf8)
        if let type {
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
        json.member("resumed", resumed?.description)
        json.member("reason", reason.rawValue)
        return Array("event: gap\ndata: ".utf8) + json.object() + Array("\n\n".utf8)
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

/// Why nobody can resume where they asked to.
public enum GapReason: String, CaseIterable, Sendable {
    /// The log no longer reaches back that far.
    case retention
    /// The log never had that id.
    case unknownID = "unknown-id"
}
