import EventLog
import MicroHTTP
import Webhooks
import JSON
import Testing

@testable import Clarion

@Suite struct JSONReaderPartsTests {
    @Test(arguments: 0..<200)
    func thePartsOfADocumentAreThoseThatAParserFinds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let text = random.json()
            let bytes = Array(text.utf8)
            let value = try #require(JSONValue(parsing: bytes), "\(text)")
            let start = bytes.prefix { [0x20, 0x09, 0x0A, 0x0D].contains($0) }.count
            switch value {
            case .object(let expected):
                let members = try #require(JSONReader.members(of: bytes, at: start), "\(text)")
                #expect(members.mapValues { JSONValue(parsing: Array(bytes[$0])) } == expected, "\(text)")
                #expect(try JSONReader.elements(of: bytes, atMost: 100) == nil)
            case .array(let expected):
                let elements = try #require(try JSONReader.elements(of: bytes, atMost: 100), "\(text)")
                #expect(elements.map { JSONValue(parsing: Array(bytes[$0])) } == expected, "\(text)")
                #expect(JSONReader.members(of: bytes, at: start) == nil)
            default:
                #expect(JSONReader.scalar(of: bytes, at: start) == value, "\(text)")
                #expect(JSONReader.members(of: bytes, at: start) == nil)
            }
        }
    }

    @Test func aPartIsKeptAsItWasWritten() throws {
        let bytes = Array(#"{"a": {"z": 12345678901234567890, "b": "\u00e9"} ,"c":1}"#.utf8)
        let members = try #require(JSONReader.members(of: bytes))
        let part = String(decoding: bytes[try #require(members["a"])], as: UTF8.self)
        #expect(part == #"{"z": 12345678901234567890, "b": "\u00e9"}"#)
    }

    @Test func twoMembersOfOneNameAreRefused() {
        #expect(JSONReader.members(of: Array(#"{"a":1,"\u0061":2}"#.utf8)) == nil)
    }

    @Test func moreElementsThanAllowedAreTooMany() throws {
        let bytes = Array("[1,2,3]".utf8)
        #expect(try JSONReader.elements(of: bytes, atMost: 3)?.count == 3)
        #expect(throws: JSONReader.TooManyElements.self) { try JSONReader.elements(of: bytes, atMost: 2) }
    }
}
