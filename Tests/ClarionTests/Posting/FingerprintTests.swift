import MicroHTTP
import Webhooks
import EventLog
import JSON
import Testing

@testable import Clarion

@Suite struct FingerprintTests {
    private func draft(type: String? = nil, contentType: String? = nil, data: String = "") throws -> EventDraft {
        EventDraft(topic: try Topic("t"), type: type, contentType: contentType, data: Array(data.utf8))
    }

    @Test func equalPostsHaveEqualOnes() throws {
        var repeated = try draft(type: "a", contentType: "b", data: "c")
        #expect(Fingerprint.of(repeated).count == 32)
        repeated.attributes = EventAttributes(traceparent: "another each time").stored
        #expect(Fingerprint.of(repeated) == Fingerprint.of(try draft(type: "a", contentType: "b", data: "c")))
    }

    @Test func whatDiffersAnywhereHasAnother() throws {
        func context(_ attributes: [String: JSONValue]) -> CloudEventContext {
            CloudEventContext(attributes: attributes, dataForm: .none)
        }
        let fingerprints = [
            Fingerprint.of(try draft()), Fingerprint.of(try draft(type: "")), Fingerprint.of(try draft(type: "a")),
            Fingerprint.of(try draft(contentType: "a")), Fingerprint.of(try draft(data: "a")),
            Fingerprint.of(try draft(type: "ab", contentType: "c")),
            Fingerprint.of(try draft(type: "a", contentType: "bc")),
            Fingerprint.of(try draft(), context(["a": .string("b")])),
            Fingerprint.of(try draft(), context(["a": .string("c")])),
            Fingerprint.of(try draft(), context(["ab": .string("")])),
            Fingerprint.of(try draft(), context(["a": .bool(true)])),
        ]
        #expect(Set(fingerprints).count == fingerprints.count)
    }
}
