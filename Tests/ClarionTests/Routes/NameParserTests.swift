import Webhooks
import Randomness
import Testing

@testable import Clarion
@testable import EventLog
@testable import MicroHTTP

/// Names in requests, drawn by chance: what is accepted is given back as it came, what is not has its code, nothing traps.
@Suite struct NameParserTests {
    @Test func eventIDs() {
        search { random in
            let epoch = LogEpoch(
                (0..<12).map { _ in String(random.one(of: Array("0123456789abcdefghjkmnpqrstvwxyz"))) }.joined()
            )
            let position = Position(random.chance(2) ? Int64.random(in: 0...Int64.max, using: &random) : 7)
            guard let epoch else { return "an epoch is refused" }
            let id = EventID(epoch: epoch, position: position)
            guard EventID(id.description) == id else { return "\(id) is refused" }
            let text = random.mutatedText(id.description)
            guard let read = EventID(text) else { return nil }
            return read.description.utf8.elementsEqual(text.utf8) ? nil : "\(text) is read as \(read)"
        }
    }

    /// The rule of http-api.md, written once more.
    private func isName(_ text: String, stars: Bool) -> Bool {
        (1...255).contains(text.utf8.count) && ![[46], [46, 46]].contains(Array(text.utf8))
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.properties.generalCategory != .control && !scalar.properties.isWhitespace
                    && (stars || scalar != "*")
            }
    }

    @Test func topics() {
        search { random in
            let text = random.mutatedText(random.one(of: ["orders.created", "a", "..", "https://example.com/é", ""]))
            let topic = try? Topic(text)
            guard (topic != nil) == isName(text, stars: false) else {
                return "\(text.debugDescription): \(topic != nil)"
            }
            guard let topic else { return code { _ = try Topic(pathSegment: text) } == "topic-invalid" ? nil : text }
            let target = try? Target("/topics/\(topic.pathSegment)/events")
            guard let segment = target?.segments.dropFirst().first, (try? Topic(pathSegment: segment)) == topic else {
                return "\(text) does not come back from a path"
            }
            return topic.name.utf8.elementsEqual(text.utf8) ? nil : "\(text) is \(topic)"
        }
    }

    /// Matching by the rule, segment by segment.
    private func matches(_ pattern: ArraySlice<[UInt8]>, _ name: ArraySlice<[UInt8]>) -> Bool {
        guard let wanted = pattern.first else { return name.isEmpty }
        guard let given = name.first else { return false }
        if wanted == Array("**".utf8) { return true }
        return (wanted == [42] || wanted == given) && matches(pattern.dropFirst(), name.dropFirst())
    }

    @Test func patterns() {
        let segments = ["a", "b", "é", "e\u{301}", "", "K", "\u{212A}"]
        search { random in
            let text = (0..<random.number(1...4)).map { _ in random.one(of: segments + ["*", "**", "a*"]) }
                .joined(separator: ".")
            let parts = text.utf8.split(separator: 46, omittingEmptySubsequences: false).map(Array.init)
            let isLegal =
                isName(text, stars: true)
                && parts.enumerated().allSatisfy { index, part in
                    !part.contains(42) || part == [42] || part == [42, 42] && index == parts.count - 1
                }
            let pattern = try? TopicPattern(text)
            guard (pattern != nil) == isLegal else { return "\(text): \(pattern != nil)" }
            guard let pattern else {
                return code { _ = try TopicPattern(pathSegment: text) } == "pattern-invalid" ? nil : text
            }
            let name = (0..<random.number(1...4)).map { _ in random.one(of: segments) }.joined(separator: ".")
            guard let topic = try? Topic(name) else { return nil }
            let given = name.utf8.split(separator: 46, omittingEmptySubsequences: false).map(Array.init)
            let expected = matches(parts[...], given[...])
            guard pattern.matches(topic) == expected else { return "\(text) of \(name): not \(expected)" }
            var index = TopicPatternIndex<Int>()
            index.insert(1, for: pattern)
            return index.matches(topic).isEmpty == !expected ? nil : "the index of \(text) differs at \(name)"
        }
    }

    @Test func observerIDs() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-".utf8)
        search { random in
            let text = random.mutatedText(random.one(of: ["whk_0123", "A-b_9", String(repeating: "x", count: 64)]))
            let isLegal = (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(allowed.contains)
            let refusal = code { _ = try ObserverID(text) }
            return refusal == (isLegal ? nil : "observer-id-invalid") ? nil : "\(text): \(refusal ?? "accepted")"
        }
    }

    @Test func typesAndKeysAndTraces() {
        search { random in
            let type = random.mutated(random.one(of: ["order.created", "é", String(repeating: "ü", count: 128)]))
            let text = String(validating: type, as: UTF8.self)
            let isType =
                text.map { (1...128).contains($0.unicodeScalars.count) } == true
                && !type.contains { [0, 10, 13].contains($0) }
            var read: String?
            let refusal = code { read = try EventType.of(try Request(fields: [("Event-Type", type)])) }
            guard refusal == (isType ? nil : "event-type-invalid") else { return "\(type): \(refusal ?? "accepted")" }
            guard !isType || read?.utf8.elementsEqual(type) == true else { return "\(type) is \(read ?? "nothing")" }

            let key = random.mutated(random.one(of: ["order-17", "\n", " ~", String(repeating: "k", count: 255)]))
            let isKey = (1...255).contains(key.count) && key.allSatisfy { (0x20...0x7E).contains($0) }
            let keyRefusal = code { _ = try PostKey(try Request(fields: [("idempotency-key", key)])) }
            guard keyRefusal == (isKey ? nil : "idempotency-key-invalid") else { return "\(key)" }

            let trace = random.mutatedText("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
            let kept = Traceparent(trace)
            let form = /(?!ff)([0-9a-f]{2})-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-(?s:.*))?/
            let match = trace.wholeMatch(of: form.matchingSemantics(.unicodeScalar))
            let isTrace = match.map { $0.1 != "00" || $0.2 == nil } ?? false
            return (kept != nil) == isTrace ? nil : "\(trace)"
        }
    }

    @Test func typeFilters() {
        search { random in
            let types = (0..<random.number(1...12)).map { _ in
                random.one(of: ["a", "aa", "é", "e\u{301}", "\u{212A}", "K", " "])
            }
            guard let filter = try? EventTypes(types.joined(separator: ",")) else { return "\(types): refused" }
            let type = random.one(of: ["a", "é", "e\u{301}", "\u{212A}", "K", " ", "b"])
            let event = Event.of(type: type)
            let expected = types.contains { $0.utf8.elementsEqual(type.utf8) }
            return filter.contain(event) == expected ? nil : "\(types) of \(type)"
        }
    }
}

extension Event {
    /// An event of which only the type matters.
    fileprivate static func of(type: String) -> Event {
        Event(
            id: EventID("000000000000-1")!,
            topic: try! Topic("a"),
            type: type,
            contentType: nil,
            data: [],
            time: .now()
        )
    }
}
