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
        try await Self.expectCompilation(of: snippets.joined(separator: "\n"))
    }

    @Test(arguments: [[], ["-default-isolation", "MainActor"]])
    func `the library's examples in the README compile, also where all belongs to the main actor`(
        options: [String]
    ) async throws {
        let readme = try String(contentsOf: Places.package.appending(path: "README.md"), encoding: .utf8)
        let snippets = Self.snippets(of: readme).filter { $0.contains("import Broadcasting") }
        #expect(snippets.count == 1)
        for snippet in snippets { try await Self.expectCompilation(of: snippet, options: options) }
    }

    /// A program of strangers in the mode that new applications begin with: declarations belong to the main actor without a word.
    @Test func `a program whose declarations belong to the main actor by default uses each design`() async throws {
        try await Self.expectCompilation(
            of: """
                import Broadcasting

                protocol Refreshing: AnyObject, Sendable {
                    func refresh()
                    func save() async
                }
                enum AppAction: Action { case refresh(Int) }
                enum Refreshed: TypedNotification {
                    typealias Info = [String]
                    static let name = "refreshed"
                }

                final class Page: Refreshing, LifetimeOwner {
                    let lifetime = Lifetime()
                    let bag = DisposeBag()
                    let delegates = MulticastDelegate<any Refreshing>()
                    let list = ObservableValue([String]())
                    var lines: [String] = []

                    init(other: ObservableValue<Int>) {
                        Broadcaster.shared.register((any Refreshing).self, observer: self)
                        delegates.add(self, deliver: .immediate)
                        list.observe(self, initial: true, deliver: .main) { page, list in page.lines = list }
                        bag.insert(other.observe(distinct: true, deliver: .main) { [weak self] in self?.lines.append("\\($0)") })
                        ActionCenter.shared.on(AppAction.refresh(1), observer: self) { page, _ in page.refresh() }
                        ActionCenter.shared.on("refresh", observer: self) { page, _ in page.refresh() }
                        Refreshed.observe(self, deliver: .main) { page, lines in page.lines = lines }
                        Refreshed.observe(.until(bag), deliver: .main) { [weak self] in self?.lines = $0 }
                    }

                    func refresh() { lines = [] }
                    func save() async {}

                    func post() async {
                        Broadcaster.shared.notify(onMain: (any Refreshing).self) { $0.refresh() }
                        Broadcaster.shared.notify((any Refreshing).self, onMain: { $0.refresh() })
                        delegates.invoke(onMain: { $0.refresh() })
                        await delegates.invoke(onMain: { await $0.save() })
                        await delegates.invoke { await $0.save() }
                        list.withValue { $0.append("line") }
                        ActionCenter.shared.send(AppAction.refresh(1))
                        Refreshed.post(lines)
                        for await list in list.values(initial: true) where list.isEmpty { break }
                        for await _ in Refreshed.posts { break }
                    }
                }
                """,
            options: ["-default-isolation", "MainActor"]
        )
    }

    private static func expectCompilation(of program: String, options: [String] = []) async throws {
        let source = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).swift")
        try Data(program.utf8).write(to: source)
        defer { try? FileManager.default.removeItem(at: source) }
        let compiler = Command(
            executable: URL(filePath: "/usr/bin/env"),
            arguments: [
                "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors",
                "-I", Places.products.appending(path: "Modules").path,
                "-I", Places.package.appending(path: "Sources/CSwiftRuntime").path, source.path,
            ] + options
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
