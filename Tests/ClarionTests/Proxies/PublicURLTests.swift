import Webhooks
import Testing

@testable import Clarion
@testable import EventLog
@testable import MicroHTTP

@Suite struct PublicURLTests {
    @Test(arguments: [
        ("https://hub.example", "https://hub.example", "hub.example"),
        ("HTTPS://Hub.Example:443/", "https://hub.example", "hub.example"),
        ("http://hub.example:8080/clarion", "http://hub.example:8080/clarion", "hub.example"),
        ("https://hub.example/a/B-c.d_~/%C3%A9/", "https://hub.example/a/B-c.d_~/%C3%A9", "hub.example"),
        ("https://[2001:db8::7]:8443/x", "https://[2001:db8::7]:8443/x", "[2001:db8::7]"),
    ])
    func `is what it is written as, without what says nothing`(text: String, shown: String, host: String) throws {
        let url = try PublicURL(text)
        #expect(url.text == shown)
        #expect(url.host == host)
    }

    @Test(arguments: [
        "", "hub.example", "/clarion", "ftp://hub.example", "https://", "https:///clarion", "https://u@hub.example",
        "https://hub.example?x", "https://hub.example/?x", "https://hub.example/#x", "https://hub.example//a",
        "https://hub.example/a//", "https://hub.example/a/../b", "https://hub.example/./b",
        "https://hub.example/%2e%2e",
        "https://hub.example/a b", "https://hub.example/é", "https://hub.example/%zz", "https://hub.example/<a>",
        "https://hub.example/a\"b", "https://hub.example/a\r\nX: y", "https://hub.example:65536",
        "https://hub.example/a\\b",
        "https://hub.example/" + String(repeating: "a", count: 500),
    ])
    func `is refused unless links can begin with it`(text: String) {
        #expect { try PublicURL(text) } throws: { ($0 as? HubError)?.code == HubError.publicURLInvalid }
    }

    @Test func `a link to the next page repeats the path and the query, but no credential`() throws {
        let target = try Target("/topics/a%2Fb/events?since=last&type=%C3%A9&access_token=clk_secret&limit=1")
        let id = EventID(epoch: .random(), position: Position(7))
        let query = "?type=%C3%A9&limit=1&after=\(id)"
        #expect(Links(nil).page(of: target, after: id) == query)
        let links = Links(try PublicURL("https://hub.example/clarion"))
        #expect(links.page(of: target, after: id) == "https://hub.example/clarion/topics/a%2Fb/events\(query)")
    }
}
