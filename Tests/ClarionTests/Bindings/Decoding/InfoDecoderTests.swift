import EventLog
import Foundation
import JSON
import MicroHTTP
import Randomness
import Testing
import Webhooks

@testable import Clarion

/// Payloads are what Foundation's decoder makes of the same bytes; where both refuse them, it is for the same place.
@Suite struct InfoDecoderTests {
    /// All that a payload can be made of.
    private struct Everything: Codable, Equatable {
        enum Level: Int, Codable { case low = 1, high }
        enum Choice: Codable, Equatable { case none, some(Int, label: String?) }
        struct Part: Codable, Equatable { var sku: String, price: Int16, wide: Float }

        var parts: [Part]
        var nested: [[UInt8]]
        var level: Level?
        var choice: Choice
        var weights: [String: Double]
        var counts: [Int: Int8]
        var id: UUID
        var link: URL?
        var data: Data
        var amount: Decimal
        var flag: Bool
        var text: String?
        var optional: [Int?]
    }

    private static let everything =
        #"{"parts":[{"sku":"a","price":12,"wide":0.5},{"sku":"é","price":-3,"wide":1e3}],"nested":[[1,2],[],[255]],"#
        + #""level":2,"choice":{"some":{"_0":3,"label":null}},"weights":{"a/b":1.5,"c":2},"counts":{"1":1,"2":2},"#
        + #""id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","link":"https://a/b","data":"aGk=","amount":12.50,"#
        + #""flag":true,"text":"t\u00e9","optional":[1,null,3],"more":[{}]}"#

    /// What the two decoders differ in.
    private func difference<Value: Decodable & Equatable>(_ type: Value.Type, _ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard let root = try? JSONDocument(bytes, maximumDepth: 32).root else { return nil }
        let foreign = Result { try JSONDecoder().decode(type, from: Data(bytes)) }
        let own = Result { try InfoDecoder(root).decode(type) }
        switch (foreign, own) {
        case (.success(let foreign), .success(let own)) where foreign == own: return nil
        case (.failure(let foreign), .failure(let own)):
            // Foundation has no place for a number that does not fit.
            let (theirs, ours) = (pointer(foreign, root), pointer(own, root))
            return theirs == ours || theirs.isEmpty ? nil : "\(type) of \(text): \(own), not \(foreign)"
        default: return "\(type) of \(text): \(own), not \(foreign)"
        }
    }

    private func pointer(_ error: any Error, _ root: JSONView) -> String {
        InfoMismatch(error, in: root).pointer.replacing("Index ", with: "")
    }

    @Test(arguments: [
        "0", "-0", "-0.0", "1.0", "1e2", "12e-1", "120e-1", "255", "256", "-129", "9007199254740993",
        "9007199254740993.0", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e18", "1e19",
        "18446744073709551615", "18446744073709551616", "1.0000000000000001", "3.4e38", "3.5e38", "1e-46", "1e-400",
        "0e400", "0.1", "1e308", "123456789012345678901234567890123456789", "0.30000000000000004", "16777217",
    ])
    func numbersAreTheSameInEveryType(text: String) {
        func compare<Value: Decodable & Equatable>(_ type: Value.Type) {
            #expect(difference(type, text) == nil)
            #expect(difference([Value].self, "[\(text)]") == nil)
            #expect(difference([String: Value].self, "{\"a\":\(text)}") == nil)
        }
        compare(Int.self)
        compare(Int8.self)
        compare(UInt8.self)
        compare(Int64.self)
        compare(UInt64.self)
        compare(Int128.self)
        // Of this one Foundation says that it is no JSON.
        if text != "3.4e38" { compare(UInt128.self) }
        compare(Double.self)
        compare(Float.self)
        compare(Decimal.self)
        compare(Bool.self)
        compare(String.self)
        compare(Int?.self)
    }

    @Test func payloadsAreTheSame() throws {
        #expect(difference(Everything.self, Self.everything) == nil)
        #expect(throws: Never.self) { try InfoCoder.decode(Everything.self, from: Array(Self.everything.utf8)) }
    }

    @Test func mutilatedPayloadsAreTheSame() throws {
        func places(_ value: JSONView) -> [Range<Int>] {
            [value.place] + ((value.entries ?? []).map(\.value) + (value.elements() ?? [])).flatMap(places)
        }
        let values = places(try JSONDocument(Array(Self.everything.utf8)).root).dropFirst()
        #expect(values.count > 30)
        let others = [
            "null", "true", "0", "1.5", "300", "-1", "1e2", "70000", "\"x\"", "\"\"", "\"2\"", "[]", "{}", "[1]",
            "{\"a\":1}", "{\"some\":{}}", "{\"none\":{}}", "1e300", "1e-320",
        ]
        search(cases: 5000) { random in
            var bytes = Array(Self.everything.utf8)
            bytes.replaceSubrange(random.one(of: Array(values)), with: Array(random.one(of: others).utf8))
            let text = String(decoding: bytes, as: UTF8.self)
            return difference(Everything.self, random.chance(3) ? random.mutatedText(text) : text)
        }
    }

    @Test(arguments: [
        (#"{"amount":1e300}"#, "/amount", "Expected Decimal, found the number 1e+300."),
        (#"{"amount":"1","a":1,"a":2}"#, "/amount", "Expected Decimal, found a string."),
        (#"{"amount":null}"#, "/amount", "Expected Decimal, found null."),
        (#"{"Amount":1}"#, "/amount", #"Expected a member "amount", found none of that name."#),
    ])
    func whatWasFoundIsNamedWithItsPlace(text: String, pointer: String, detail: String) {
        struct Priced: Decodable { let amount: Decimal }
        let mismatch = #expect(throws: InfoMismatch.self) {
            try InfoCoder.decode(Priced.self, from: Array(text.utf8))
        }
        #expect(mismatch?.pointer == pointer)
        #expect(mismatch?.detail == detail)
    }

    /// A subclass keeps what its superclass has under another name, or beside its own.
    @Test func superclassesAreReadAsTheyAreWritten() {
        class Animal: Decodable {
            let legs: Int?
            private enum Key: CodingKey { case legs }
            required init(from decoder: any Decoder) throws {
                // What is not there is null.
                guard try !decoder.singleValueContainer().decodeNil() else {
                    legs = nil
                    return
                }
                legs = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .legs)
            }
        }
        final class Pair: Animal, Equatable {
            let first: Int
            let last: String
            private enum Key: CodingKey { case parts, base }
            required init(from decoder: any Decoder) throws {
                let members = try decoder.container(keyedBy: Key.self)
                var parts = try members.nestedUnkeyedContainer(forKey: .parts)
                first = try parts.decode(Int.self)
                var inner = try parts.nestedUnkeyedContainer()
                last = try inner.decodeNil() ? "none" : inner.decode(String.self)
                try super.init(
                    from: members.contains(.base) ? members.superDecoder(forKey: .base) : members.superDecoder()
                )
            }
            static func == (one: Pair, other: Pair) -> Bool {
                one.first == other.first && one.last == other.last && one.legs == other.legs
            }
        }
        for text in [
            #"{"parts":[1,["a"]],"super":{"legs":4}}"#, #"{"parts":[1,[null]],"base":{"legs":4}}"#,
            #"{"parts":[1,["a"]]}"#, #"{"parts":[1,["a"]],"base":{"legs":"4"}}"#, #"{"parts":[1,["a"]],"super":[]}"#,
            #"{"parts":[1,[]]}"#, #"{"parts":[1]}"#, #"{"parts":[]}"#, #"{"parts":[1,2]}"#, #"{"parts":7}"#, "{}",
            #"{"parts":[1,["a"]],"parts":[]}"#, #"{"parts":[1,["a"]],"super":{"legs":4,"legs":5}}"#,
        ] {
            #expect(difference(Pair.self, text) == nil)
        }
    }
}
