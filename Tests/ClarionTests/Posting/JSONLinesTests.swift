import EventLog
import Webhooks
import MicroHTTP
import Randomness
import Testing

@testable import Clarion

@Suite struct JSONLinesTests {
    private func lines(_ text: String, atMost limit: Int = 100) throws -> [String] {
        try JSONLines.values(of: Array(text.utf8), atMost: limit).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("", []), ("\n\r\n \t\n", []), ("1", ["1"]), ("1\n", ["1"]),
        ("{\"a\": 1}\r\n\n  [2] \n\"x\"", ["{\"a\": 1}", "[2]", "\"x\""]),
    ])
    func everyLineThatIsNotBlankIsAValue(text: String, expected: [String]) throws {
        #expect(try lines(text) == expected)
    }

    @Test(arguments: [
        ("1\n\n{\"a\":\n2}", "Line 3", "/1"), ("x", "Line 1", "/0"), ("1 2", "Line 1", "/0"),
        ("1\n1\r2", "Line 2", "/1"),
    ])
    func aLineThatIsNotJSONIsNamed(text: String, line: String, pointer: String) throws {
        let problem = try #require(throws: Problem.self) { try lines(text) }
        #expect(problem.code == "body-invalid")
        #expect(problem.detail.hasPrefix("\(line) "))
        #expect(problem.pointer == pointer)
    }

    @Test func theirNumberIsBounded() throws {
        #expect(try lines("1\n2\n\n", atMost: 2).count == 2)
        #expect(try #require(throws: Problem.self) { try lines("1\n2\n3", atMost: 2) }.code == "batch-too-large")
    }

    @Test(arguments: 0..<100)
    func whatIsWrittenAsLinesIsReadAgain(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let values = (0..<Int.random(in: 0...20, using: &random)).map { _ in
            random.json().filter { !$0.isNewline }.trimmingBlanks
        }
        var text = ""
        for value in values {
            text += random.text(of: [" ", "\t", "\n", "\r\n"], upTo: 3) + value
            text += random.text(of: [" ", "\t"], upTo: 2) + (Bool.random(using: &random) ? "\n" : "\r\n")
        }
        #expect(try lines(text) == values, "seed \(seed)")
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        var text = self[...].drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
