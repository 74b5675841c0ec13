import EventLog
import JSON
import Testing

@testable import Clarion

@Suite struct NodeObserverTests {
    private static let stream: [String: JSONValue] = [
        "id": .string("str_1"), "kind": .string("stream"), "topics": .array([.string("a.*")]),
        "state": .string("active"),
        "createdAt": .string("2026-11-22T10:15:00.123Z"), "connectedAt": .string("2026-11-22T10:15:00.123Z"),
        "remoteAddress": .string("203.0.113.7:1"), "lastEventId": .string("x-1"), "queuedBytes": .number(7),
    ]
    private static let object: [String: JSONValue] = [
        "id": .string("obj_1"), "kind": .string("object"), "topics": .array([.string("a")]), "state": .string("active"),
        "createdAt": .string("2026-11-22T10:15:00.123Z"), "type": .null,
    ]

    @Test(arguments: [stream, object])
    func `is shown as its node shows it`(members: [String: JSONValue]) throws {
        let observer = try #require(NodeObserver(.object(members), at: "node-1"))
        #expect(observer.document() == .object(members))
        // What another version says beside is not handed on.
        let newer = members.merging(["secret": .string("x")]) { _, new in new }
        #expect(try #require(NodeObserver(.object(newer), at: "node-1")).document() == .object(members))
    }

    @Test func `what cannot be is none`() {
        let others: [JSONValue?] = [
            nil, .number(-1), .number(1e300), .number(0.5), .string(""), .string("*x"), .array([]),
            .array([.string("a b")]), .object([:]),
        ]
        for name in ["id", "kind", "topics", "createdAt", "connectedAt", "lastEventId", "queuedBytes"] {
            for other in others where !(name == "lastEventId" && other?.text != nil) {
                var members = Self.stream
                members[name] = other
                #expect(NodeObserver(.object(members), at: "node-1") == nil, "\(name): \(String(describing: other))")
            }
        }
        var webhook = Self.stream
        webhook["kind"] = .string("webhook")
        #expect(NodeObserver(.object(webhook), at: "node-1") == nil, "all nodes have the same")
        for value in [JSONValue.null, .array([]), .string("x")] { #expect(NodeObserver(value, at: "node-1") == nil) }
    }
}
