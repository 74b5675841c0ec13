import EventLog
import MicroHTTP
import Webhooks
import Testing

@testable import Clarion

@Suite struct ContentTypeTests {
    @Test(arguments: [
        "application/x-ndjson", "Application/X-NDJSON", "application/x-ndjson; charset=utf-8",
        "application/x-ndjson ;a=b", "application/x-ndjson\t",
    ])
    func aTypeIsFoundWhateverItsCaseAndParameters(contentType: String) {
        #expect(ContentType.matches(contentType, "application/x-ndjson"))
    }

    @Test(arguments: ["", "application", "application/x-ndjson2", "application/x-ndjson x", "xapplication/x-ndjson"])
    func anotherIsNot(contentType: String) {
        #expect(!ContentType.matches(contentType, "application/x-ndjson"))
    }

    @Test func jsonIsKnownByItsSubtype() {
        for type in ["application/json", "text/json", "application/cloudevents+json;a=b", "Application/JSON"] {
            #expect(ContentType.isJSON(type))
        }
        for type in ["application/jsonx", "application/x-ndjson", "json", ""] { #expect(!ContentType.isJSON(type)) }
        #expect(!ContentType.isJSON(nil))
    }

    @Test(arguments: [nil, "", "application/x-www-form-urlencoded", "Application/X-WWW-Form-URLencoded; charset=UTF-8"])
    func dataThatNobodySaysTheTypeOfIsWhatItLooksLike(claimed: String?) {
        func stored(_ text: String) -> String { ContentType.stored(claimed, data: Array(text.utf8)) }
        for text in ["{}", "[]", " \r\n\t{\"a\": [1]}\n"] { #expect(stored(text) == "application/json") }
        for text in ["", " ", "{", "[1,]", "{}{}", "12", "null", "\"a\"", "\u{FEFF}{}", "a=1", "[\"\\ud800\"]"] {
            #expect(stored(text) == "text/plain; charset=utf-8", "\(text)")
        }
        let bytes = Array("[\"".utf8) + [0xFF] + Array("\"]".utf8)
        #expect(ContentType.stored(claimed, data: bytes) == "application/octet-stream")
    }

    @Test func dataWhoseTypeIsSaidKeepsIt() {
        #expect(ContentType.stored("text/plain", data: Array("{}".utf8)) == "text/plain")
    }

    @Test func textIsKnownByItsName() {
        for type in ["text/csv", "application/atom+xml", "application/xml", "application/x; charset=UTF-8"] {
            #expect(ContentType.isText(type))
        }
        for type in ["application/octet-stream", "image/png", "application/protobuf"] {
            #expect(!ContentType.isText(type))
        }
    }
}
