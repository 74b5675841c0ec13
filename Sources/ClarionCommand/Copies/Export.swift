import ArgumentParser
import ClarionClient
import Glibc
import JSON

/// `clarion export`: events as lines of JSON.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write events as lines of JSON, for `clarion import`.",
        discussion: """
            Each line is a structured CloudEvent with the topic in `clariontopic`, in the order of the log. What the hub \
            posts itself (topics that begin with clarion.) is left out. What is posted meanwhile is in it or not.

            EXAMPLE
              clarion export events.ndjson
              clarion export --hub https://old.example |
                      clarion import --hub http://127.0.0.1:8080
            """
    )

    @Argument(help: "The file, which is whole or not there. (default: standard output)")
    var file: String?

    @Option(help: ArgumentHelp("Only these topics. May be given several times. (default: **)", valueName: "pattern"))
    var topic: [String] = []

    @Option(help: "Where to begin: a time, a duration such as 7d, or earliest. (default: earliest)")
    var since: String?

    @OptionGroup var hub: HubOptions

    func run() async throws {
        let target = try NewFile(file)
        do {
            var count = 0
            try await hub.ask { client in
                var start: ClarionClient.Start? = since.map { .since($0) } ?? .earliest
                var progress = PageProgress()
                let topics = topic.isEmpty ? ["**"] : topic
                while let place = start {
                    let (lines, next) = try await client.lines(
                        of: topics,
                        since: place,
                        limit: 1000,
                        envelope: "cloudevents"
                    )
                    let exported = lines.compactMap(ExportedEvent.line)
                    guard exported.count + reserved(lines) == lines.count else {
                        throw Failure.exit(EXIT_FAILURE, "the hub is too old: it does not give history as CloudEvents")
                    }
                    try target.write(json: exported.flatMap { $0 + [UInt8(ascii: "\n")] })
                    count += exported.count
                    Remark.progress("\(count) events")
                    guard progress.goesOn(to: next, isEmpty: lines.isEmpty) else { throw client.endless }
                    start = next.map { .after($0) }
                }
            }
            Remark.endProgress()
            try target.finish()
            if file != nil, Remark.isTerminal { Remark.line("\(count) events exported") }
        } catch {
            target.discard()
            throw error
        }
    }

    private func reserved(_ lines: [[UInt8]]) -> Int {
        lines.count { ExportedEvent($0)?.isReserved == true }
    }
}
