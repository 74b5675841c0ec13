import EventLog
import MicroHTTP
import Webhooks
import Testing

@testable import Clarion

@Suite struct SchemaTextTests {
    @Test(
        arguments: [
            (.integer(1...5), "integer, at least <code>1</code>, at most <code>5</code>"),
            (["type": "string", "maxLength": 9], "string, at most <code>9</code> characters"),
            (["const": "<a>"], "<code>&lt;a&gt;</code>"),
            (["type": "array", "items": ["type": ["string", "null"]]], "list of string or null"),
            (.nullable(.schema(.topicName)), "<a href=\"#schema-TopicName\">TopicName</a> or null"),
            ([:], "anything"),
        ] as [(OrderedJSON, String)]
    )
    func `says what fits`(schema: OrderedJSON, html: String) {
        #expect(SchemaText(schema).type == html)
    }

    @Test func `marks what is optional, and escapes`() {
        let html = SchemaText(.object("<b> & `c`", required: ["a": .flag("")], optional: ["b": .flag("")])).html
        #expect(html.contains("&lt;b&gt; &amp; <code>c</code>"))
        #expect(html.contains("<code>b</code> <span>optional, boolean"))
        #expect(!html.contains("<code>a</code> <span>optional"))
    }
}
