import EventLog
import JSON
import Logging

/// Writes each log line to standard error as a JSON object: `time`, `level`, `message`, and a member for each metadata.
struct JSONLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        LogOutput.standardError.write(line(event, at: .now())) { lost in
            Self.line(["level": .string("warning"), "message": .string(LogOutput.gap(lost))], at: .now())
        }
    }

    /// The line, with the line break at its end.
    func line(_ event: LogEvent, at time: Timestamp) -> [UInt8] {
        var members = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues(Self.json)
        if let error = event.error { members["error"] = .string("\(error)") }
        members["level"] = .string(event.level.rawValue)
        members["message"] = .string("\(event.message)")
        return Self.line(members, at: time)
    }

    private static func line(_ members: [String: JSONValue], at time: Timestamp) -> [UInt8] {
        let time = ["time": JSONValue.string(time.rfc3339)]
        let line = JSONValue.object(members.merging(time) { $1 }).bytes + [UInt8(ascii: "\n")]
        return Remark.isTerminal ? TerminalText.escapedJSON(lines: line) : line
    }

    private static func json(_ value: Logger.Metadata.Value) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .stringConvertible(let number as Int): .number(Double(number))
        case .stringConvertible(let number as Double) where number.isFinite: .number(number)
        case .stringConvertible(let other): .string("\(other)")
        case .array(let values): .array(values.map(json))
        case .dictionary(let members): .object(members.mapValues(json))
        }
    }
}
