import Webhooks
import EventLog
import Foundation
import Randomness
import Testing

@testable import Clarion
@testable import MicroHTTP

/// Header fields that are lists: conditions and what a client accepts.
@Suite struct FieldParserTests {
    private func tag(_ random: inout SeededGenerator) -> EntityTag {
        let characters = Array("!#$,*;/\\W ~a9".utf8) + [0xC3, 0xA9]
        let opaque = (0..<random.number(0...6)).map { _ in random.one(of: characters) }
        // As a field is: text.
        return EntityTag(opaque: Array(String(decoding: opaque, as: UTF8.self).utf8), isWeak: random.chance(3))
    }

    /// A list as one may write it: blanks, empty elements, several fields.
    private func fields(_ tags: [EntityTag], _ random: inout SeededGenerator) -> [String] {
        let blank = { (random: inout SeededGenerator) in random.one(of: ["", "", " ", "\t", " \t "]) }
        var fields = [""]
        for tag in tags {
            if random.chance(4) { fields.append("") }
            let empty = random.chance(5) ? "," + blank(&random) : ""
            let separator = fields[fields.count - 1].isEmpty ? "" : ","
            fields[fields.count - 1] += separator + empty + blank(&random) + tag.description + blank(&random)
        }
        return fields
    }

    @Test func listsOfTagsAreWhatWasWritten() {
        search { random in
            let tags = (0..<random.number(0...4)).map { _ in tag(&random) }
            let fields = fields(tags, &random)
            let list = EntityTagList(fields)
            return list == .tags(tags) ? nil : "\(fields) is \(String(describing: list))"
        }
    }

    @Test func mutilatedListsAreReadAsWhatTheySayOrNotAtAll() {
        search { random in
            let tags = (0..<random.number(0...3)).map { _ in tag(&random) }
            let fields = (random.chance(8) ? ["*"] : fields(tags, &random)).map { random.mutatedText($0) }
            let list = EntityTagList(fields)
            guard (list == .any) == (fields == ["*"] && fields[0].utf8.elementsEqual("*".utf8)) else {
                return "\(fields) is \(String(describing: list))"
            }
            guard case .tags(let read) = list else { return nil }
            // Every quote of a list belongs to a tag, and so does every star.
            let all = Array(fields.joined(separator: ",").utf8)
            guard all.filter({ $0 == 34 }).count == 2 * read.count,
                all.filter({ $0 == 42 }).count == read.reduce(0, { $0 + $1.opaque.filter { $0 == 42 }.count })
            else { return "\(fields) is \(read)" }
            guard read.allSatisfy({ $0.opaque.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != 34 } }) else {
                return "\(fields) has a tag that is none"
            }
            return EntityTagList([read.map(\.description).joined(separator: ", ")]) == list ? nil : "\(fields) again"
        }
    }

    @Test func whatIsNoConditionIsNeverOneThatHolds() {
        search { random in
            let value = random.chance(2) ? random.oddText(upTo: 5) : random.mutatedText("\"a\", W/\"1\"")
            var conditions: Preconditions?
            let refusal = code {
                conditions = try Preconditions(try Request(fields: [("If-Match", Array(value.utf8))]))
            }
            guard refusal == nil || refusal == "parameter-invalid" else { return "\(value): \(refusal ?? "")" }
            let present = EntityTag("1")
            let holds = conditions.map { $0.unmet(by: .tagged(present)) == nil } ?? false
            guard holds else { return nil }
            // Strong, and alone between its commas.
            let isNamed =
                value.utf8.elementsEqual("*".utf8)
                || value.utf8.split(separator: 44).contains { element in
                    String(decoding: element, as: UTF8.self).utf8.filter { $0 != 32 && $0 != 9 } == Array("\"1\"".utf8)
                }
            return isNamed ? nil : "\(value.debugDescription) holds"
        }
    }

    @Test func whatIsAcceptedHasAQualityFrom0To1() {
        let names = [
            "text/event-stream", "application/json", "*/*", "application/*", "application/x-ndjson", "text/html",
        ]
        let weights: [(String, Double)] = [
            ("", 1), (";q=0", 0), (";q=1", 1), (";Q=0.5", 0.5), ("; q = 0.125", 0.125), (";q=1.000", 1), (";q=nan", 0),
            (";q=inf", 0), (";q=-1", 0), (";q=1e400", 0), (";q=0x1p-1", 0), (";q=", 0), (";q=7", 1), (";q=+1", 0),
            (";level=1;q=0.5", 0.5), (";x=\"a,b;q=1\";q=0.25", 0.25), (";x=\"\\\",\";q=0.25", 0.25), (";q=\u{661}", 0),
        ]
        search { random in
            let chosen = (0..<random.number(0...4)).map { _ in (random.one(of: names), random.one(of: weights)) }
            let field = chosen.map { $0.0 + $0.1.0 }.joined(separator: random.one(of: [",", ", ", " ,\t", ",,"]))
            let ranges = MediaRange.all(in: [field])
            guard ranges.map(\.name) == chosen.map(\.0), ranges.map(\.quality) == chosen.map(\.1.1) else {
                return "\(field) is \(ranges)"
            }
            let mutated = random.mutatedText(field)
            guard MediaRange.all(in: [mutated]).allSatisfy({ (0...1).contains($0.quality) }) else { return mutated }
            let refusal = code { _ = try EventsFormat(try Request(.get, fields: [("Accept", Array(mutated.utf8))])) }
            return refusal == nil || refusal == "not-acceptable" ? nil : "\(mutated): \(refusal ?? "")"
        }
    }

    @Test func contentTypesAreComparedByTheirBytes() {
        #expect(!ContentType.isJSON("application/json\u{37E}x"))
        #expect(ContentType.isJSON("application/json;\u{301}"))
        #expect(ContentType.essence("Text/X-\u{212A}") == "text/x-\u{212A}")
        search { random in
            let type = random.mutatedText(
                random.one(of: ["application/json; charset=utf-8", "text/plain", "a/b+json;x"])
            )
            let essence = type.utf8.prefix { $0 != 59 }.filter { $0 != 32 && $0 != 9 }
            let read = Array(ContentType.essence(type).utf8)
            guard read.count == essence.count else { return "\(type) is \(read)" }
            return ContentType.matches(type, "text/plain") && !type.utf8.prefix(11).contains(32)
                && read != Array("text/plain".utf8) ? "\(type.debugDescription)" : nil
        }
    }
}
