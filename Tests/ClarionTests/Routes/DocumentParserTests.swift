import Webhooks
import Foundation
import JSON
import Randomness
import Testing

@testable import Clarion
@testable import EventLog
@testable import MicroHTTP

/// Documents in requests: JSON, CloudEvents, and whole posts.
@Suite struct DocumentParserTests {
    /// Foundation's reading of a document, as a value of ours.
    private struct Foreign: Decodable {
        let value: JSONValue

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                value = .null
            } else if let flag = try? container.decode(Bool.self) {
                value = .bool(flag)
            } else if let number = try? container.decode(Double.self) {
                value = .number(number)
            } else if let text = try? container.decode(String.self) {
                value = .string(text)
            } else if let elements = try? container.decode([Foreign].self) {
                value = .array(elements.map(\.value))
            } else {
                value = .object(try container.decode([String: Foreign].self).mapValues(\.value))
            }
        }
    }

    @Test func documentsAreReadAsOthersReadThem() {
        search { random in
            let bytes = Array(random.json().utf8)
            guard JSONDocument.isValid(bytes) else { return "\(String(decoding: bytes, as: UTF8.self)) is refused" }
            guard let value = JSONValue(parsing: bytes) else {
                return "\(String(decoding: bytes, as: UTF8.self)) is no value"
            }
            guard JSONValue(parsing: value.bytes) == value else { return "\(value) does not come back" }
            let foreign = try? JSONDecoder().decode(Foreign.self, from: Data(bytes)).value
            return foreign == value
                ? nil : "\(String(decoding: bytes, as: UTF8.self)) is \(String(describing: foreign))"
        }
    }

    @Test func mutilatedDocumentsAreOneThingToAllReaders() {
        search { random in
            let bytes = random.mutated(random.json(depth: 2))
            let text = { String(decoding: bytes, as: UTF8.self) }
            let fault: JSONFault.Reason?
            do throws(JSONFault) {
                _ = try JSONDocument(bytes, maximumDepth: 32)
                fault = nil
            } catch { fault = error.reason }
            do throws(JSONFault) {
                let value = try JSONValue(document: bytes)
                if fault != nil { return "\(text()) is \(value)" }
                if JSONValue(parsing: value.bytes) != value { return "\(text()) does not come back" }
            } catch {
                if error.reason != fault && !(fault == nil && error.reason == .repeatedMember) {
                    return "\(text()): \(error), not \(fault as Any)"
                }
            }
            guard let root = (try? JSONDocument(bytes))?.root else { return nil }
            // Parts are documents by themselves.
            let parts = (root.entries ?? []).map(\.value) + (root.elements() ?? [])
            for part in parts where !JSONDocument.isValid(part.bytes) { return "\(text()): \(part.place)" }
            _ = root.scalar
            return nil
        }
    }

    @Test func pointersAreEscapedByTheirBytes() {
        #expect(Array(JSONMembers.escape("a~\u{301}/\u{301}b").utf8) == Array("a~0\u{301}~1\u{301}b".utf8))
        search { random in
            let name = random.oddText(upTo: 6)
            let token = Array(JSONMembers.escape(name).utf8)
            guard !token.contains(UInt8(ascii: "/")) else { return name }
            // Undone as RFC 6901 section 4 says, by another's hand.
            let undone = String(decoding: token, as: UTF8.self).replacingOccurrences(
                of: "~1",
                with: "/",
                options: .literal
            )
            .replacingOccurrences(of: "~0", with: "~", options: .literal)
            return undone.utf8.elementsEqual(name.utf8) ? nil : name.debugDescription
        }
    }

    private static let event =
        #"{"specversion":"1.0","id":"1","source":"/s","type":"t","time":"2026-11-20T23:19:00Z","#
        + #""subject":"é","datacontenttype":"application/json","buyer":"J","count":7,"flag":true,"data":{"a":[1.50]}}"#

    private func stored(_ event: PostedCloudEvent) -> Event {
        Event(
            id: EventID("000000000000-1")!,
            topic: try! Topic("a"),
            type: event.type,
            contentType: event.contentType,
            data: event.data,
            attributes: EventAttributes(cloudEvent: event.context).stored,
            time: .now()
        )
    }

    @Test func cloudEventsComeBackEqual() {
        search { random in
            let bytes = random.mutated(Self.event)
            var posted: PostedCloudEvent?
            let refusal = code { posted = try PostedCloudEvent.event(bytes) }
            guard let posted else {
                return ["body-invalid", "cloudevent-invalid"].contains(refusal) ? nil : "\(refusal ?? "")"
            }
            let event = stored(posted)
            guard let again = try? PostedCloudEvent.event(CloudEvent.json(event)),
                again.context == posted.context, again.type == posted.type
            else { return "\(String(decoding: bytes, as: UTF8.self)) does not come back" }
            let (fields, contentType) = CloudEvent.binary(event, posted.context)
            let headers = fields.map { (name: String($0.name.dropFirst(3)), value: Array($0.value.utf8)[...]) }
            guard let binary = try? PostedCloudEvent(fields: headers, contentType: contentType, body: posted.data)
            else {
                return "\(String(decoding: bytes, as: UTF8.self)) is none in headers"
            }
            let attributes = posted.context.attributes.filter { $0.key != "datacontenttype" }
            return Set(binary.context.attributes.keys).isSuperset(of: attributes.keys) && binary.type == posted.type
                ? nil : "\(String(decoding: bytes, as: UTF8.self)) differs in headers"
        }
    }

    @Test func whateverIsPostedIsTakenOrRefusedWithADocumentedCode() {
        let types = [
            "application/json", "text/plain", "application/x-ndjson", "application/cloudevents+json",
            "application/cloudevents-batch+json", "application/x-www-form-urlencoded", "application/cloudevents+xml",
            "",
        ]
        let bodies = [Self.event, "[\(Self.event),\(Self.event)]", "{\"a\":1}\n[2]\n\n3", "[]", "", "hello"]
        #expect(documentedCodes.count > 30)
        search { random in
            var fields: [(name: String, value: [UInt8])] = [("Content-Type", random.mutated(random.one(of: types)))]
            if random.chance(4) { fields.append(("Event-Type", random.mutated("t"))) }
            if random.chance(4) { fields.append(("Idempotency-Key", random.mutated("k"))) }
            if random.chance(4) {
                for (name, value) in [
                    ("id", "1"), ("source", "/s"), ("specversion", "1.0"), ("type", "t"), ("x", "%C3%A9"),
                ]
                where !random.chance(20) {
                    fields.append(("ce-" + random.mutatedText(name), random.mutated(value)))
                }
            }
            let body = random.mutated(random.one(of: bodies))
            let refusal = code {
                _ = try Post(try Request(fields: fields, body: body))
            }
            return refusal.map { documentedCodes.contains($0) ? nil : $0 } ?? nil
        }
    }

    @Test func whateverIsToBeRegisteredIsTakenOrRefusedWithADocumentedCode() {
        let webhook =
            #"{"topics":["a.*"],"url":"https://example.com/hook","types":["t"],"format":"raw","headers":{"X-A":"b"},"#
            + #""description":"d","ordered":false,"maxInFlight":16,"ratePerSecond":1.5,"enabled":true,"secret":null}"#
        let settings = #"{"retention":{"events":1000,"age":"7d","bytes":null}}"#
        search { random in
            for document in [webhook, settings] {
                // What is no JSON at all is answered before.
                guard let value = JSONValue(parsing: random.mutated(document)) else { continue }
                let refusal = code {
                    try WebhookSpecification.requireKnown(value)
                    _ = try WebhookSpecification(try WebhookSpecification.restoring(value, from: nil), httpsOnly: false)
                }
                let other = code {
                    let members = try JSONMembers(value, known: ["retention"])
                    if let retention = members.value("retention") { _ = try Retention(retention, at: "retention") }
                }
                for refusal in [refusal, other].compactMap(\.self) where !documentedCodes.contains(refusal) {
                    return "\(refusal) of \(String(decoding: value.bytes, as: UTF8.self))"
                }
            }
            return nil
        }
    }
}
