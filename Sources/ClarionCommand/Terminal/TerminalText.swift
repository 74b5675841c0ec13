import Notation

/// Text of strangers, made fit for a terminal: what would move the cursor, change colours or turn text around is shown and
/// not carried out.
enum TerminalText {
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isCommand) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            case _ where isCommand(scalar): escaped += "\\u{\(String(scalar.value, radix: 16))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// The same for JSON, which stays what it is: these characters stand in strings only.
    static func escapedJSON(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isCommand) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            guard isCommand(scalar) else {
                escaped.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 { escaped += "\\u" + String(hexadecimal: UInt64(unit), digits: 4) }
        }
        return escaped
    }

    /// The same for lines of JSON.
    static func escapedJSON(lines: [UInt8]) -> [UInt8] {
        let lines = String(decoding: lines, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return Array(lines.map { escapedJSON(String($0)) }.joined(separator: "\n").utf8)
    }

    /// Control and format characters and line separators; but not what joins emoji.
    private static func isCommand(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return scalar != "\u{200D}"
        default: return false
        }
    }
}

/// Colours, where they are welcome.
enum Style: String {
    case bold = "1"
    case dim = "2"
    case yellow = "33"
    case cyan = "36"

    /// - Parameter text: without commands to the terminal.
    func callAsFunction(_ text: String) -> String {
        Output.hasColours && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
