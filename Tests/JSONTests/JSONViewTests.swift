import JSON
import Randomness
import Testing

@Suite struct JSONViewTests {
    @Test(arguments: 0..<200)
    func thePartsOfADocumentAreThoseThatAParserFinds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let text = random.json()
            let bytes = Array(text.utf8)
            let value = try #require(JSONValue(parsing: bytes), "\(text)")
            let root = try JSONDocument(bytes).root
            #expect(JSONValue(parsing: root.bytes) == value, "\(text)")
            switch value {
            case .object(let expected):
                let members = try #require(root.members, "\(text)")
                #expect(members.mapValues { JSONValue(parsing: $0.bytes) } == expected, "\(text)")
                #expect(root.elements() == nil && root.scalar == nil && root.kind == .object)
            case .array(let expected):
                let elements = try #require(root.elements(), "\(text)")
                #expect(elements.map { JSONValue(parsing: $0.bytes) } == expected, "\(text)")
                #expect(root.members == nil && root.scalar == nil && root.kind == .array)
            default:
                #expect(root.scalar == value, "\(text)")
                #expect(root.members == nil && root.elements() == nil)
            }
        }
    }

    @Test func aPartIsKeptAsItWasWritten() throws {
        let bytes = Array(#"{"a": {"z": 12345678901234567890, "b": "\u00e9"} ,"c":1}"#.utf8)
        let part = try #require(JSONDocument(bytes).root.members?["a"])
        #expect(String(decoding: part.bytes, as: UTF8.self) == #"{"z": 12345678901234567890, "b": "\u00e9"}"#)
        #expect(part.members?["z"]?.digits == "12345678901234567890")
        #expect(part.members?["b"]?.text == "é")
    }

    @Test func twoMembersOfOneNameAreNoMembers() throws {
        let root = try JSONDocument(Array(#"{"a":1,"\u0061":2}"#.utf8)).root
        #expect(root.members == nil)
        #expect(root.entries?.map(\.name) == ["a", "a"])
        #expect(root.entries?.map(\.value.digits) == ["1", "2"])
    }

    @Test func noMoreElementsAreLookedForThanAsked() throws {
        let root = try JSONDocument(Array("[1,2,3]".utf8)).root
        #expect(root.elements(first: 4)?.count == 3)
        #expect(root.elements(first: 2)?.count == 2)
    }
}
