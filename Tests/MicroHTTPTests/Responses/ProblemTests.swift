import Foundation
import MicroHTTP
import Randomness
import Testing

@Suite struct ProblemTests {
    @Test func `is a problem document with all its members`() throws {
        let problem = Problem(
            .unprocessable,
            code: "topic-invalid",
            detail: "A \"quoted\" detail.",
            pointer: "/topics/0",
            parameter: "topic",
            headers: [("Retry-After", "1")]
        )
        let response = problem.response(instance: "abc")
        #expect(response.status == .unprocessable)
        #expect(response.headers.contains { $0 == ("Content-Type", "application/problem+json") })
        #expect(response.headers.contains { $0 == ("Retry-After", "1") })
        let object = try #require(JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
        #expect(object["type"] as? String == "/errors#topic-invalid")
        #expect(object["title"] as? String == "Unprocessable content")
        #expect(object["status"] as? Int == 422)
        #expect(object["code"] as? String == "topic-invalid")
        #expect(object["detail"] as? String == "A \"quoted\" detail.")
        #expect(object["instance"] as? String == "urn:clarion:request:abc")
        #expect(object["pointer"] as? String == "/topics/0")
        #expect(object["parameter"] as? String == "topic")
        #expect(object.count == 8)
    }

    @Test func `leaves out what nobody is to blame for`() throws {
        let response = Problem(.notFound, code: "route-unknown", detail: "d").response(instance: "i")
        let object = try #require(JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
        #expect(object.count == 6)
    }

    @Test(arguments: UInt64(0)..<100) func `escapes any text so that a JSON parser reads it back`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let text = "\u{0}\u{1F}\\\"\n\r\t/" + generator.text(upTo: 40)
        var json = JSONText()
        json.member(text, text)
        json.member("n", -12)
        json.member("j", json: "[1]".utf8)
        let object = try #require(JSONSerialization.jsonObject(with: Data(json.object())) as? [String: Any])
        // By scalars: two strings that differ in normalisation are equal to Swift.
        #expect(
            (object.values.compactMap { $0 as? String }.first?.unicodeScalars).map(Array.init)
                == Array(text.unicodeScalars)
        )
        #expect(object["n"] as? Int == -12)
        #expect(object["j"] as? [Int] == [1])
    }

    @Test func `an object without members is an object`() {
        #expect(JSONText().object() == Array("{}".utf8))
    }
}
