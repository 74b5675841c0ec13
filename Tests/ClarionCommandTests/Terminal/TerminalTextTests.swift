import JSON
import Randomness
import Testing

@testable import ClarionCommand

@Suite struct TerminalTextTests {
    /// What moves cursors, rings, hides, turns text around or begins lines, and what does not.
    private static let pieces = [
        "a", " ", "é", "😀", "👩\u{200D}🚀", "\\", "\"", "\u{1B}[2J", "\u{1B}]0;x\u{7}", "\u{9B}31m", "\u{0}", "\u{8}",
        "\n", "\r\n", "\t",
        "\u{7F}", "\u{85}", "\u{202E}", "\u{2066}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{AD}", "\u{E0041}",
    ]

    private static func commands(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalar != "\u{200D}"
            default: false
            }
        }
    }

    @Test func `nothing that commands a terminal is left, and nothing else is changed`() {
        let fault = firstFault(cases: 5_000) { random in
            let text = (0..<random.number(0...6)).map { _ in random.one(of: Self.pieces) }.joined()
            let escaped = TerminalText.escaped(text)
            guard Self.commands(escaped).isEmpty else { return "\(text.debugDescription): \(escaped)" }
            return Self.commands(text).isEmpty == (escaped == text) ? nil : "\(text.debugDescription) is \(escaped)"
        }
        #expect(fault == nil)
    }

    @Test func `JSON means the same`() {
        let fault = firstFault(cases: 5_000) { random in
            let text = (0..<random.number(0...6)).map { _ in random.one(of: Self.pieces) }.joined()
            let value = JSONValue.object([text: .array([.string(text)])])
            let escaped = TerminalText.escapedJSON(String(decoding: value.bytes, as: UTF8.self))
            guard Self.commands(escaped).isEmpty else { return "\(text.debugDescription): \(escaped)" }
            return JSONValue(parsing: Array(escaped.utf8)) == value ? nil : "\(text.debugDescription) is \(escaped)"
        }
        #expect(fault == nil)
    }
}
