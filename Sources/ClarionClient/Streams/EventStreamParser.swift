import Notation

/// Reads server-sent events as they come, cut wherever they are (WHATWG HTML, section 9.2.6).
///
/// It holds one event at most, and no more of it than it may.
struct EventStreamParser {
    /// One event.
    struct Message: Hashable {
        /// What stood in `id:` last, in this event or before it; empty if there was none.
        var id: String
        /// `message` unless the event says something else.
        var type: String
        /// The lines of the data, with line feeds between them.
        var data: [UInt8]
    }

    private let maximumBytes: Int
    private var isFirstLine = true
    /// Whether the byte before was a carriage return: a line feed after it belongs to it.
    private var isAfterReturn = false
    /// The beginning of a line whose end has not come.
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var type = ""
    private var id = ""

    /// How long to wait before connecting anew, in milliseconds, if the stream has said so.
    private(set) var retry: Int64?

    /// - Parameter maximumBytes: of an event, as it comes.
    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Takes the next bytes.
    ///
    /// - Returns: the events that end in them.
    /// - Throws: `event-too-large`; then there is nothing more to read here.
    mutating func take(_ bytes: [UInt8]) throws(ClientError) -> [Message] {
        var messages: [Message] = []
        var rest = bytes[...]
        if isAfterReturn, rest.first == Self.lineFeed { rest = rest.dropFirst() }
        if !bytes.isEmpty { isAfterReturn = false }
        while let end = rest.firstIndex(where: { $0 == Self.lineFeed || $0 == Self.carriageReturn }) {
            line += rest[..<end]
            try requireRoom()
            rest = rest[(end + 1)...]
            if bytes[end] == Self.carriageReturn {
                if rest.first == Self.lineFeed { rest = rest.dropFirst() } else { isAfterReturn = rest.isEmpty }
            }
            if let message = endLine() { messages.append(message) }
        }
        line += rest
        try requireRoom()
        return messages
    }

    private func requireRoom() throws(ClientError) {
        guard line.count + data.count <= maximumBytes else {
            throw ClientError(
                code: ClientError.eventTooLarge,
                detail: "An event is larger than the \(maximumBytes) bytes that are taken."
            )
        }
    }

    private mutating func endLine() -> Message? {
        defer { line.removeAll(keepingCapacity: line.count < 65_536) }
        var field = line[...]
        if isFirstLine, field.starts(with: [0xEF, 0xBB, 0xBF]) { field = field.dropFirst(3) }
        isFirstLine = false
        guard !field.isEmpty else { return endEvent() }
        let name = field.prefix { $0 != UInt8(ascii: ":") }
        var value = field[name.endIndex...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        take(name, value)
        return nil
    }

    private mutating func take(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        if name.elementsEqual("data".utf8) {
            data += value
            data.append(Self.lineFeed)
        } else if name.elementsEqual("event".utf8) {
            type = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("id".utf8) {
            if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        } else if name.elementsEqual("retry".utf8) {
            let isNumber = value.allSatisfy(\.isDigit)
            guard isNumber, !value.isEmpty else { return }
            retry = Int64(String(decoding: value, as: UTF8.self)) ?? .max
        }
    }

    private mutating func endEvent() -> Message? {
        defer { (data, type) = ([], "") }
        guard !data.isEmpty else { return nil }
        return Message(id: id, type: type.isEmpty ? "message" : type, data: data.dropLast())
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}

extension EventStreamParser.Message {
    fileprivate init(id: String, type: String, data: ArraySlice<UInt8>) {
        self.init(id: id, type: type, data: Array(data))
    }
}
