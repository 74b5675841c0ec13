import ArgumentParser
import ClarionClient
import Glibc
import JSON
import Posix

/// `clarion import`: posts what `clarion export` wrote.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Post the events of an export.",
        discussion: """
            Keeps topic, type, data, content type, attributes and order; events get new ids, and the time of the import. In \
            batches. One that was interrupted is done again: what the hub has from the last 24 hours is not stored twice.

            EXAMPLE
              clarion import events.ndjson
            """
    )

    @Argument(help: "The file. (default: standard input)")
    var file: String?

    @OptionGroup var hub: HubOptions

    func run() async throws {
        let source = try FileDescriptor.input(path)
        defer { source.close() }
        var reader = LineReader(source)
        var importing = Importing()
        do {
            try await hub.ask { client in
                while let lines = try reader.read(path ?? LineReader.standardInput) {
                    for line in lines { try await importing.take(line, client) }
                }
                try await importing.flush(client)
            }
        } catch {
            Remark.endProgress()
            Remark.line("\(importing.words) before that; the same import again goes on where this one has stopped")
            throw error
        }
        Remark.endProgress()
        if Remark.isTerminal || importing.skipped > 0 { Remark.line(importing.words) }
    }

    /// The file that is named; nil for standard input.
    private var path: String? { file == "-" ? nil : file }
}
