import EventLog
import JSON
import MicroHTTP
import Webhooks
import FoundationEssentials
import Testing

@testable import Clarion

@Suite struct InfoCoderTests {
    private struct Dated: Codable, Equatable {
        var at: Date
        var link: String
    }

    @Test func datesAreWrittenAndReadAsElsewhereInTheInterface() throws {
        let dated = Dated(at: Date(timeIntervalSince1970: 1_763_680_740.123), link: "https://a/b")
        let data = try InfoCoder.encode(dated)
        #expect(String(decoding: data, as: UTF8.self) == #"{"at":"2025-11-20T23:19:00.123Z","link":"https://a/b"}"#)
        let read = try InfoCoder.decode(Dated.self, from: data)
        #expect(abs(read.at.timeIntervalSince(dated.at)) < 0.001)
    }

    /// They are written below the log, where clients can have them written, too.
    @Test func datesOfAllYearsAreWrittenAsTheLogWritesTimes() throws {
        let moments: [Int64] = [
            Timestamp.earliest.milliseconds, Timestamp.latest.milliseconds, -62_135_596_800_000, -62_135_769_600_000,
            -12_219_292_800_001, -11_000_000_000_001, -11_000_000_000_000, -1_001, -1_000, -1, 0, 1, 999,
        ]
        let years = (Int64(0)...9999).map { $0 * (31_556_952_000 + 86_399_977) - 62_167_219_200_000 }
        for moment in moments + years {
            let date = Date(timeIntervalSince1970: Double(moment) / 1000)
            let text = String(decoding: try InfoCoder.encode(date), as: UTF8.self)
            #expect(text == "\"\(Timestamp(milliseconds: moment).rfc3339)\"")
        }
        let never = String(decoding: try InfoCoder.encode(Date(timeIntervalSince1970: 1e12)), as: UTF8.self)
        #expect(never == "\"\(Timestamp.latest.rfc3339)\"")
    }

    @Test func aDateThatIsNoneIsAMismatchAtItsPlace() throws {
        let mismatch = #expect(throws: InfoMismatch.self) {
            try InfoCoder.decode(Dated.self, from: Array(#"{"at": "today", "link": ""}"#.utf8))
        }
        #expect(mismatch?.pointer == "/at")
        #expect(mismatch?.detail.contains("RFC 3339") == true)
    }

    /// Nor is it told: to print a date that is no number ends the process.
    @Test(arguments: [1e300, .infinity, .nan]) func aDateThatNoYearHasIsNotWritten(seconds: Double) {
        let error = #expect(throws: UnencodableValue.self) {
            try InfoCoder.encode([Dated(at: Date(timeIntervalSince1970: seconds), link: "")])
        }
        #expect(error.map { "\($0)" } == "0.at: No date.")
        #expect(error?.cause.map { "\($0)" }?.isEmpty == false)
    }

    @Test func aDecimalThatIsNoNumberIsNotWritten() {
        let error = #expect(throws: UnencodableValue.self) { try InfoCoder.encode(["price": Decimal.nan]) }
        #expect(error.map { "\($0)" } == "what it encodes to is not valid JSON")
    }

    @Test func aWholeDocumentMayBeToBlame() throws {
        let mismatch = #expect(throws: InfoMismatch.self) { try InfoCoder.decode(String.self, from: Array("12".utf8)) }
        #expect(mismatch?.detail == "Expected a string, found the number 12.")
    }

    @Test func whatAPayloadThrowsItselfIsNotShown() throws {
        struct Secretive: Decodable {
            struct Inner: Error { let secret = "s" }
            init(from decoder: any Decoder) throws { throw Inner() }
        }
        let mismatch = #expect(throws: InfoMismatch.self) {
            try InfoCoder.decode(Secretive.self, from: Array("1".utf8))
        }
        #expect(mismatch?.pointer == "")
        #expect(mismatch?.detail == "The data is not what this topic carries.")
    }

    @Test func theyAreFoundAlsoWhereFoundationLeavesOutThePlace() throws {
        struct Nested: Decodable {
            enum Level: Int, Decodable { case low = 1, high }

            var small: [[UInt8]]
            var level: Level?
            var at: Date?
            var link: URL?
            var amounts: [String: Int16]?
        }
        func pointer(_ text: String) throws -> String? {
            #expect(throws: InfoMismatch.self) { try InfoCoder.decode(Nested.self, from: Array(text.utf8)) }?.pointer
        }
        #expect(try pointer(#"{"small": [[1], [2, 300]]}"#) == "/small/1/1")
        #expect(try pointer(#"{"small": [[-1]]}"#) == "/small/0/0")
        #expect(try pointer(#"{"small": [], "level": 1.5}"#) == "/level")
        #expect(try pointer(#"{"small": [], "level": 3}"#) == "/level")
        #expect(
            try pointer(
                #"{"small": [], "at": "2026-11-20T23:19:00Z", "link": "https://a/", "amounts": {"a": 1, "b": 70000}}"#
            ) == "/amounts/b"
        )
        #expect(throws: InfoMismatch.self) { try InfoCoder.decode([UInt8].self, from: Array("[256]".utf8)) }
    }
}
