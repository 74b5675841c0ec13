import EventLog
import Testing
import Webhooks

@testable import Clarion

/// What a program posts is checked as what a request posts is: both reach the same wires.
@Suite struct ProcessPostTests {
    private static func draft(
        type: String? = nil,
        contentType: String? = nil,
        data: String = "x",
        attributes: String? = nil,
        key: String? = nil
    ) throws -> EventDraft {
        EventDraft(
            topic: try Topic("a"),
            type: type,
            contentType: contentType,
            data: Array(data.utf8),
            attributes: attributes.map { Array($0.utf8) },
            idempotencyKey: key.map { IdempotencyKey($0, fingerprint: []) }
        )
    }

    private static func cloudEvent(_ attributes: String, data: String = "base64") -> String {
        #"{"cloudEvent":{"attributes":{"id":"1","source":"/s"\#(attributes)},"data":"\#(data)"}}"#
    }

    @Test func whatWouldForgeLinesOrFieldsIsRefusedWithTheCodeOfHTTP() async throws {
        let forged = "x\nid: forged-1\ndata: FORGED\n\nevent: y"
        let refused: [(EventDraft, code: String)] = [
            (try Self.draft(type: forged), "event-type-invalid"),
            (try Self.draft(type: "x\rdata: y"), "event-type-invalid"),
            (try Self.draft(type: ""), "event-type-invalid"),
            (try Self.draft(type: "\0"), "event-type-invalid"),
            (try Self.draft(type: String(repeating: "t", count: 129)), "event-type-invalid"),
            (try Self.draft(contentType: "text/plain\r\nSet-Cookie: a=b"), "parameter-invalid"),
            (try Self.draft(contentType: String(repeating: "t", count: 256)), "parameter-invalid"),
            (try Self.draft(key: ""), "idempotency-key-invalid"),
            (try Self.draft(key: "a\r\nb"), "idempotency-key-invalid"),
            (try Self.draft(key: String(repeating: "k", count: 256)), "idempotency-key-invalid"),
            (try Self.draft(attributes: "garbage{"), "parameter-invalid"),
            (try Self.draft(attributes: "[]"), "parameter-invalid"),
            (try Self.draft(attributes: #"{"hops":-9}"#), "parameter-invalid"),
            (try Self.draft(attributes: #"{"hops":9000000000000000000}"#), "parameter-invalid"),
            (try Self.draft(attributes: Self.cloudEvent(#","x\r\nevil":"1""#)), "cloudevent-invalid"),
            (try Self.draft(attributes: Self.cloudEvent(#","subject":"a\r\nb""#)), "cloudevent-invalid"),
            // Written as it is, it would break out of its member.
            (
                try Self.draft(data: #"1,"id":"forged""#, attributes: Self.cloudEvent("", data: "json")),
                "cloudevent-invalid"
            ),
        ]
        try await withHub { hub in
            for (draft, code) in refused {
                let error = await #expect(throws: HubError.self, "\(draft)") { try await hub.post(draft) }
                #expect(error?.code == code, "\(draft)")
            }
            let error = await #expect(throws: HubError.self) { try await hub.post("x", to: "a", type: forged) }
            #expect(error?.code == "event-type-invalid")
            let drafts = [try Self.draft(), try Self.draft(type: forged)]
            let inBatch = await #expect(throws: HubError.self) { try await hub.post(drafts) }
            #expect(inBatch?.pointer == "/1")
            #expect(hub.log.tail == .start)
        }
    }

    @Test func whatARequestMayPostAProgramMay() async throws {
        try await withHub { hub in
            _ = try await TestAnswer.to(
                "POST",
                "/topics/a/events",
                of: hub,
                body: #"{"specversion":"1.0","id":"1","source":"/s","type":"t","data":{"n":1}}"#,
                contentType: "application/cloudevents+json"
            )
            let posted = try #require(try await hub.history("a").first)
            // Those of an event may be posted again.
            let again = try await hub.post(
                EventDraft(
                    topic: try Topic("b"),
                    type: posted.type,
                    contentType: posted.contentType,
                    data: posted.data,
                    attributes: posted.attributes
                )
            )
            #expect(again.attributes == posted.attributes && again.attributes != nil)
            let longest = String(repeating: "é", count: 128)
            #expect(try await hub.post("x", to: "a", type: longest).type == longest)
            // What is no trace is passed over, as that of a request is.
            let trace = #"{"traceparent":"00-x\r\nEvil: 1","hops":2}"#
            #expect(try await hub.post(Self.draft(attributes: trace)).attributes == Array(#"{"hops":2}"#.utf8))
            #expect(try await hub.post(Self.draft(contentType: "text/plain", key: "k~ 1")).contentType == "text/plain")
        }
    }
}
