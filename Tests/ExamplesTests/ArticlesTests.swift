import Foundation
import Testing

@Suite struct ArticlesTests {
    static let articles =
        ((try? Places.contents(of: Places.catalog.appending(path: "Articles"))) ?? [])
        + [Places.catalog.appending(path: "Broadcasting.md")]

    /// What a reader pastes from top to bottom is one program. Blocks that say what to leave behind begin with `// Before`.
    @Test(arguments: articles)
    func `the Swift code of an article compiles without warnings`(article: URL) async throws {
        let snippets = try Self.snippets(of: String(contentsOf: article, encoding: .utf8))
        #expect(!snippets.isEmpty)

        let source = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).swift")
        try Data(snippets.joined(separator: "\n").utf8).write(to: source)
        defer { try? FileManager.default.removeItem(at: source) }
        let compiler = Command(
            executable: URL(filePath: "/usr/bin/env"),
            arguments: [
                "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors",
                "-I", Places.products.appending(path: "Modules").path,
                "-I", Places.package.appending(path: "Sources/CSwiftRuntime").path, source.path,
            ]
        )
        let outcome = try await compiler.run(mergingErrors: true)
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    @Test func `there is an article beside the landing page`() {
        #expect(Self.articles.count > 1)
    }

    static func snippets(of article: String) -> [String] {
        article.split(separator: "```swift\n").dropFirst().compactMap { rest in
            let snippet = String(rest.prefix(upTo: rest.firstRange(of: "```")?.lowerBound ?? rest.endIndex))
            return snippet.hasPrefix("// Before") ? nil : snippet
        }
    }
}
