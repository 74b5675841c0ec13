import Testing

@testable import MicroHTTP

@Suite struct HeaderFieldsTests {
    private var fields: HeaderFields {
        var fields = HeaderFields()
        fields.append(name: "Accept".utf8, value: "text/html".utf8)
        fields.append(name: "X-Empty".utf8, value: "".utf8)
        fields.append(name: "aCCEPT".utf8, value: "*/*".utf8)
        fields.append(name: "X-Latin".utf8, value: [0xE4])
        return fields
    }

    @Test func `finds a field by its name in any case`() {
        #expect(fields["accept"] == "text/html")
        #expect(fields["ACCEPT"] == "text/html")
        #expect(fields["X-Empty"] == "")
        #expect(fields["Accep"] == nil)
        #expect(fields["Accept-"] == nil)
        #expect(fields.contains("x-empty"))
        #expect(!fields.contains("x-absent"))
    }

    @Test func `keeps all fields of a name, in order`() {
        #expect(fields.values(of: "Accept") == ["text/html", "*/*"])
        #expect(fields.fields(withPrefix: "").map(\.name) == ["accept", "x-empty", "accept", "x-latin"])
    }

    @Test func `finds fields by the beginning of their names`() {
        var fields = fields
        fields.append(name: "X".utf8, value: "short".utf8)
        let found = fields.fields(withPrefix: "x-")
        #expect(found.map(\.name) == ["empty", "latin"])
        #expect(found.map { Array($0.value) } == [[], [0xE4]])
        #expect(fields.fields(withPrefix: "ce-").isEmpty)
    }

    @Test func `repairs what is not UTF-8, and also gives it as it came`() {
        #expect(fields["X-Latin"] == "\u{FFFD}")
        #expect(fields.bytes(of: "x-latin") == [0xE4])
        #expect(fields.bytes(of: "Accept").map { Array($0) } == Array("text/html".utf8))
        #expect(fields.bytes(of: "x-empty") == [])
        #expect(fields.bytes(of: "x-absent") == nil)
    }

    @Test func `leaves out a value that takes long to compare, and has the head refused`() {
        var fields = fields
        fields.append(name: "X-Short".utf8, value: String(repeating: "\u{345}", count: 128).utf8)
        fields.append(name: "X-Long".utf8, value: String(repeating: "a\u{345}", count: 2_000).utf8)
        #expect(fields.marksProblem == nil)
        fields.append(name: "X-Marks".utf8, value: String(repeating: "\u{345}", count: 129).utf8)
        fields.append(name: "X-Last".utf8, value: "z".utf8)
        #expect(fields["X-Marks"] == "")
        #expect(fields["X-Last"] == "z")
        #expect(fields.marksProblem?.code == "request-malformed")
    }

    @Test func `only ASCII letters have a case`() {
        var fields = HeaderFields()
        fields.append(name: "X[".utf8, value: "1".utf8)
        #expect(fields["x{"] == nil)
        #expect(fields["x["] == "1")
    }
}

@Suite struct RequestIDTests {
    @Test(arguments: ["a", "A-Z_09.~:/+=", String(repeating: "x", count: 128)])
    func `takes the client's own`(text: String) {
        #expect(RequestID.accept(text) == text)
    }

    @Test(arguments: ["", " ", "a b", "a\nb", "a\"", "k\u{E4}se", "{}", String(repeating: "x", count: 129)])
    func `refuses what could confuse a log line`(text: String) {
        #expect(RequestID.accept(text) == nil)
    }

    @Test func `makes identifiers that are its own kind and differ`() {
        let made = (0..<10_000).map { _ in RequestID.next() }
        #expect(Set(made).count == made.count)
        #expect(made.allSatisfy { RequestID.accept($0) == $0 })
    }
}
