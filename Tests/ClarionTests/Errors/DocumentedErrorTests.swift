import EventLog
import MicroHTTP
import Webhooks
import Foundation
import Testing

@testable import Clarion

@Suite struct DocumentedErrorTests {
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// With `UPDATE_DOCS=1` in the environment the table is written instead.
    @Test func `docs/errors.md has the same table`() throws {
        let file = Self.repository.appending(path: "docs/errors.md")
        var lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        .map(String.init)
        let start = try #require(lines.firstIndex(of: "| code | status | what to do |")) + 2
        let end = lines[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
        let table = DocumentedError.all.map(\.markdownRow)
        guard ProcessInfo.processInfo.environment["UPDATE_DOCS"] == nil else {
            lines.replaceSubrange(start..<end, with: table)
            try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
            return
        }
        #expect(table.difference(from: lines[start..<end]).isEmpty)
    }

    @Test func `every code of a problem in the sources is documented`() throws {
        let documented = Set(DocumentedError.all.map(\.code))
        var found: Set<String> = []
        for module in ["Clarion", "MicroHTTP"] {
            let folder = Self.repository.appending(path: "Sources/\(module)")
            let paths = try #require(FileManager.default.subpaths(atPath: folder.path))
            for path in paths where path.hasSuffix(".swift") {
                let source = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
                // A status comes first, which tells a problem from other errors with codes.
                for match in source.matches(of: /(?:\.[a-zA-Z]+|Status\(\d+\)),\s*code: "([a-z-]+)"/) {
                    found.insert(String(match.output.1))
                }
            }
        }
        #expect(found.count > 25, "the sources are read as they are written")
        #expect(found.subtracting(documented) == [])
    }

    @Test func `codes are unique and statuses are theirs`() {
        let all = DocumentedError.all
        #expect(Set(all.map(\.code)).count == all.count)
        for error in all {
            #expect(Int(error.statuses.prefix(3)).map { (400...599).contains($0) } == true)
            #expect(error.advice.filter { $0 == "`" }.count.isMultiple(of: 2))
            #expect(!error.advice.contains { $0.isNewline || $0 == "|" })
        }
    }

    @Test func `advice is rendered without Markdown, and escaped`() {
        let error = DocumentedError("a-b", "400", "Use `<x>` & see [the docs](x.md#y).")
        #expect(error.text == "a-b (400)\n    Use <x> & see the docs.\n")
        #expect(error.html.contains("<dd>Use <code>&lt;x&gt;</code> &amp; see the docs.</dd>"))
        #expect(error.html.contains("<dt id=\"a-b\">"))
    }
}
