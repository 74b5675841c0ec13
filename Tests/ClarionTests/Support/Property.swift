import Webhooks
import EventLog
import Foundation
import Randomness
import Testing

@testable import Clarion
@testable import MicroHTTP

/// Looks for a case in which something does not hold, in many that are drawn by chance.
///
/// - Parameter body: returns what is wrong with the case, or nil.
func search(
    cases: UInt64 = 20_000,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (inout SeededGenerator) -> String?
) {
    guard let fault = firstFault(cases: cases, body) else { return }
    Issue.record("\(fault)", sourceLocation: sourceLocation)
}

/// The codes that docs/errors.md explains.
let documentedCodes: Set<String> = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/errors.md")
    let text = (try? String(contentsOf: root.standardized, encoding: .utf8)) ?? ""
    return Set(text.matches(of: /<a id="([a-z-]+)"><\/a>/).map { String($0.1) })
}()

extension SeededGenerator {
    /// What lies on the borders of grammars: delimiters, blanks, controls, and characters that Swift compares or joins
    /// otherwise than their bytes.
    private static let odd: [String] = [
        "\"", "\\", ",", ";", "*", "W/", "w/", " ", "\t", "\r\n", "\n", "\0", "\u{7F}", "/", "~", ".", "..", "-", "+",
        "%",
        "%00", "%2", "%zz", "=", "&", "?", "#", "0", "9", "e", "E", "é", "e\u{301}", "\u{301}", "\u{212A}", "\u{37E}",
        "K",
        "😀", "\u{FEFF}", "٣", "１", "[", "]", "{", "}", ":", "null", "true", "1e400", "-1", "+5", "nan", "inf",
        "\\ud800",
        "\\u0000", "q=", "T", "Z", "d", "ms", "99999999999999999999", "\u{85}", "\u{2028}",
    ]

    /// Text of such pieces alone.
    mutating func oddText(upTo pieces: Int) -> String {
        (0..<number(0...pieces)).map { _ in one(of: Self.odd) }.joined()
    }

    /// Bytes with a few pieces put in, taken out, doubled or changed.
    mutating func mutated(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<number(0...3) {
            let place = number(0...bytes.count)
            switch number(0...4) {
            case 0: bytes.insert(contentsOf: Array(one(of: Self.odd).utf8), at: place)
            case 1: bytes.removeSubrange(place..<min(bytes.count, place + number(0...4)))
            case 2: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 8)], at: place)
            case 3 where place < bytes.count: bytes[place] = UInt8(number(0...255))
            default: bytes.insert(UInt8(number(0...255)), at: place)
            }
        }
        return bytes
    }

    /// The same as text; what is no UTF-8 is repaired, as it is in header fields.
    mutating func mutatedText(_ text: String) -> String { String(decoding: mutated(text), as: UTF8.self) }
}

/// The code of the problem that something throws; nil if it throws none.
func code(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return (error as? Problem)?.code ?? "\(error)"
    }
}

extension Request {
    /// A request as the server hands it on.
    init(
        _ method: MicroHTTP.Method = .post,
        _ target: String = "/topics/a/events",
        fields: [(name: String, value: [UInt8])] = [],
        body: [UInt8] = [],
        parameters: [(name: String, value: String)] = [("topic", "a")],
        from remoteAddress: String? = nil
    ) throws(Problem) {
        var headers = HeaderFields()
        for (name, value) in fields { headers.append(name: name.utf8, value: value) }
        self.init(
            method: method,
            target: try Target(bytes: Array(target.utf8)),
            headers: headers,
            body: body,
            remoteAddress: remoteAddress,
            id: "test"
        )
        for (name, value) in parameters { self.parameters.append(name, value) }
    }
}
