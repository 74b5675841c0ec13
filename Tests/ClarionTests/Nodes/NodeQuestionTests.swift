import Access
import EventLog
import JSON
import Testing

@testable import Clarion

/// What one node asks every node reads the same, and what a stranger says traps nobody.
@Suite struct NodeQuestionTests {
    private static func questions() throws -> [NodeQuestion] {
        let grant = Grant(manage: [try TopicPattern("a.*"), try TopicPattern("é.**")])
        let id = try ObserverID("mine")
        let pages = try [
            ["limit": .number(1)], ["limit": .number(1_000), "topic": .string("a.**"), "kind": .string("stream")],
            ["limit": .number(7), "after": .array([.number(-1), .string("str_1")])],
        ].map { try #require(ObserverPage(JSONValue.object($0))) }
        let claimant = NodeQuestion.Claimant(
            principal: "key 1",
            grant: Grant(manage: [try TopicPattern("**")])
        )
        return pages.map { .list($0, grant) } + [
            .find(id), .end(id, grant), .endAll(try TopicPattern("a.*"), .nothing),
            .retire(RetiredNames.Key(name: id, owner: "some")),
            .retire(RetiredNames.Key(name: id, owner: nil)),
            .count([try Topic("a"), try Topic("b.é")]), .name(id, .init(principal: nil, grant: grant)),
            .take(id, claimant, since: 1_795_388_307_624, node: "node-1"), .status,
        ]
    }

    @Test func `what is asked is what is read`() throws {
        for question in try Self.questions() { #expect(NodeQuestion(question.bytes) == question) }
    }

    @Test func `a part of a question is none, and traps nobody`() throws {
        for question in try Self.questions() {
            let bytes = question.bytes
            for count in 0..<bytes.count { #expect(NodeQuestion(Array(bytes.prefix(count))) == nil) }
            // Each member in turn left out, or of another kind.
            guard case .object(let members) = try #require(JSONValue(parsing: bytes)) else { return }
            let others: [JSONValue?] = [
                nil, .null, .bool(true), .number(-1), .number(1e300), .number(0.5), .string(""), .string("*x"),
                .array([]),
                .array([.null]), .object([:]),
            ]
            for name in members.keys {
                for other in others {
                    var changed = members
                    changed[name] = other
                    guard let read = NodeQuestion(JSONValue.object(changed).bytes) else { continue }
                    #expect(NodeQuestion(read.bytes) == read)
                }
            }
        }
    }

    @Test(arguments: ["", "{}", "[]", "null", #"{"ask":"what"}"#, #"{"ask":"list","limit":1}"#, #"{"ask":"find"}"#])
    func `anything else is none`(text: String) {
        #expect(NodeQuestion(Array(text.utf8)) == nil)
    }
}
