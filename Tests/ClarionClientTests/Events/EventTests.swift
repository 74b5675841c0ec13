import Testing

@testable import ClarionClient

/// Events as the hub gives them with `envelope=json`.
@Suite("Events of a client")
struct EventTests {
    private func event(_ data: String, _ contentType: String = "\"application/json\"") -> ClarionClient.Event? {
        ClarionClient.Event(
            json: Array(
                #"{"id":"e-1","topic":"a.b","type":"t","time":"2026","contentType":\#(contentType),\#(data)}"#.utf8
            )
        )
    }

    @Test(
        "data is what was posted",
        arguments: [
            (#""data":{"a":1.50}"#, "\"application/json\"", #"{"a":1.50}"#),
            // Also if it is what the hub makes of `1e99999`.
            (#""data":"1e99999""#, "\"application/json\"", #""1e99999""#),
            (#""data":"x""#, "\"application/vnd.x+json; charset=utf-8\"", #""x""#),
            (#""data":"a\nb\u0007""#, "\"text/plain\"", "a\nb\u{7}"),
            (#""data":"""#, "null", ""), (#""dataBase64":"aGk=""#, "\"image/png\"", "hi"),
        ]
    )
    func data(member: String, contentType: String, data: String) throws {
        #expect(try #require(event(member, contentType)).text == data)
    }

    @Test(
        "what is no event is none",
        arguments: ["", "[]", "{}", "null", "{", #"{"id":"a"}"#, #"{"id":1,"topic":"a","time":"t","data":1}"#]
    )
    func none(text: String) {
        #expect(ClarionClient.Event(json: Array(text.utf8)) == nil)
    }

    @Test(
        "a hub's URL",
        arguments: [
            ("http://a", "http://a"), ("https://a:1/x/", "https://a:1/x"), ("localhost:8080", "http://localhost:8080"),
            ("http://[::1]:80///", "http://[::1]:80"), ("HTTP://a", "HTTP://a"), ("http://a:65535", "http://a:65535"),
            ("http://a:", "http://a:"), ("https://[::1]/x", "https://[::1]/x"),
        ]
    )
    func hubs(text: String, url: String) throws {
        #expect(try HubURL(text).text == url)
    }

    @Test(
        "what is no hub's URL is refused, and never repeated",
        arguments: [
            "", "ftp://a", "http://", "http:///x", "http://a b", "http://me:secret@a", "http://a?x", "http://a#x",
            "http://a\n",
            "http://ä", "http://:80", "file:///etc/passwd", "http://a\\@b", "http://a:65536", "http://a:99999", "a:0",
            "http://a:+1",
            "http://a:b", "http://a:-1", "http://::1", "http://[::1", "http://[::1]a", "http://a:1:2",
        ]
    )
    func noHubs(text: String) {
        let error = #expect(throws: ClientError.self) { try HubURL(text) }
        #expect(error?.code == ClientError.hubInvalid)
        #expect(error?.detail.contains("secret") == false)
    }

    @Test(
        "loopback needs no proxy",
        arguments: [
            ("localhost", true), ("127.1.2.3:80", true), ("[::1]:80", true), ("example.com", false),
            ("10.0.0.1", false),
            ("localhost.example", false),
        ]
    )
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try HubURL(text).isLoopback == isLoopback)
    }

    @Test(
        "a token that could be more than a field is refused, and not repeated",
        arguments: ["", "a b", "a\r\nX: y", "ä"]
    )
    func tokens(token: String) {
        let error = #expect(throws: ClientError.self) { try ClarionClient(token: token) }
        #expect(error?.code == ClientError.tokenInvalid)
    }

    @Test(
        "a file of authorities that has none is refused before anything is asked",
        arguments: ["/nowhere", "/dev/null"]
    )
    func authorities(path: String) {
        var configuration = ClarionClient.Configuration()
        configuration.certificateAuthorities = path
        let error = #expect(throws: ClientError.self) { try ClarionClient(configuration: configuration) }
        #expect(error?.code == ClientError.authoritiesInvalid && error?.detail.contains(path) == true)
    }

    @Test(
        "documents go in one line each",
        arguments: [("1", "1"), ("[\n 1,\r\n\t2 ]\n", "[ 1,\t2 ]"), (#"{"a":"b\n"}"#, #"{"a":"b\n"}"#), ("{no", "{no")]
    )
    func lines(document: String, line: String) throws {
        let lines = try ClarionClient.lines(of: [Array(document.utf8), Array("2".utf8)])
        #expect(String(decoding: lines, as: UTF8.self) == line + "\n2")
    }

    @Test(
        "what would be others in one line is refused",
        arguments: ["1\n2", "\"a\nb\"", "tr\rue", "", "\n", " \t", "1 \n 2"]
    )
    func noLines(document: String) {
        let error = #expect(throws: ClientError.self) {
            try ClarionClient.lines(of: [Array("1".utf8), Array(document.utf8)])
        }
        #expect(error?.code == ClientError.argumentInvalid && error?.pointer == "/1")
    }

    @Test("a type that the hub would read as others is not asked for", arguments: [["a,b"], ["a", ""], [","]])
    func types(types: [String]) async throws {
        let client = try ClarionClient("127.0.0.1:1")
        let ofHistory = await #expect(throws: ClientError.self) { try await client.history(of: "a", types: types) }
        let ofStream = await #expect(throws: ClientError.self) {
            for try await _ in client.events(matching: "a", types: types) {}
        }
        #expect(ofHistory?.code == ClientError.argumentInvalid && ofStream == ofHistory)
    }

    @Test("every character of a topic is one of a segment")
    func encoding() {
        let call = Call("GET", "topics", "https://a/b?c#d%e ü", "azAZ09-._~")
        #expect(call.target == "/topics/https%3A%2F%2Fa%2Fb%3Fc%23d%25e%20%C3%BC/azAZ09-._~")
    }
}
