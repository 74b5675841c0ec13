import Testing

@testable import Webhooks

@Suite struct TraceparentTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    @Test(arguments: [
        ("00", "01", true), ("00", "00", false), ("00", "ff", true), ("01", "03", true), ("fe", "fe", false),
    ])
    func `what is valid is read, and written as version 00`(version: String, flags: String, isSampled: Bool) throws {
        let read = try #require(Traceparent("\(version)-\(Self.trace)-\(Self.parent)-\(flags)"))
        #expect(read.traceID == Self.trace)
        #expect(read.parentID == Self.parent)
        #expect(read.isSampled == isSampled)
        #expect(read.description == "00-\(Self.trace)-\(Self.parent)-\(isSampled ? "01" : "00")")
    }

    @Test func `a later version may say more`() {
        #expect(Traceparent("cc-\(Self.trace)-\(Self.parent)-01-what-may-be") != nil)
        #expect(Traceparent("cc-\(Self.trace)-\(Self.parent)-01.what") == nil)
        #expect(Traceparent("00-\(Self.trace)-\(Self.parent)-01-what") == nil)
    }

    @Test(arguments: [
        "", "00", "ff-\(trace)-\(parent)-01", "00-\(String(repeating: "0", count: 32))-\(parent)-01",
        "00-\(trace)-0000000000000000-01", "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent)-0",
        "00-\(trace)-\(parent)-0g", "00_\(trace)_\(parent)_01", "0-\(trace)0-\(parent)-01", " 00-\(trace)-\(parent)-01",
        "00-\(trace)-\(parent)-01 ", "00-\(trace)-\(parent)-0é", "\r\n\r\nX-Evil",
    ])
    func `what is not valid is none`(text: String) {
        #expect(Traceparent(text) == nil)
    }

    @Test func `each child is another`() throws {
        let read = try #require(Traceparent("00-\(Self.trace)-\(Self.parent)-01"))
        let children = (0..<1_000).map { _ in read.child() }
        #expect(Set(children.map(\.parentID)).count == 1_000)
        #expect(children.allSatisfy { Traceparent($0.description) == $0 && $0.traceID == Self.trace && $0.isSampled })
    }
}
