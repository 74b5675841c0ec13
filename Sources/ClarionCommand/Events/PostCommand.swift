import ArgumentParser
import ClarionClient
import Glibc
import Posix

/// `clarion post`: posts events.
struct PostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "Post an event, or many.",
        discussion: """
            Prints the event's id once it is stored; of several in one post, as of application/x-ndjson, all ids. Exits with \
            0 then, with 1 if the hub refuses it, with 2 if the hub cannot be reached, with 64 if the arguments are wrong, \
            with 66 if a file cannot be read, and with 74 if it is stored and the id cannot be printed.

            With --lines each line of standard input is an event, posted as it comes, in batches; blank lines are passed \
            over. A line that is a JSON object or array is posted as JSON, any other as text. It ends at a line that the hub \
            refuses, and says which. It does not end when nobody reads the ids any more.

            EXAMPLE
              clarion post greetings hello
              clarion post orders.eu '{"total": 12}' --type created --key order-17
              clarion post photos @cat.jpg --content-type image/jpeg
              tail -f access.log | clarion post logs.web --lines
            """
    )

    @Argument(help: "The topic.")
    var topic: String

    @Argument(
        help: """
            The data; @FILE for a file's contents, - for standard input. (default: standard input, if it is no terminal)
            """
    )
    var data: String?

    @Option(help: "The event's type.")
    var type: String?

    @Option(
        help: """
            An idempotency key: the same post under it is stored once within 24 hours. With --lines, each line has the key \
            and its number.
            """
    )
    var key: String?

    @Option(
        help: ArgumentHelp(
            "What the data is. (default: application/json for an object or an array, otherwise text or bytes)",
            valueName: "media-type"
        )
    )
    var contentType: String?

    @Flag(help: "Post each line as an event.")
    var lines = false

    @OptionGroup var hub: HubOptions

    /// More than any hub takes.
    private static let largest = 1 << 30

    func run() async throws {
        let file = try opened()
        defer { file?.close() }
        if lines {
            guard let file else {
                throw Failure.exit(EX_USAGE, "--lines: name a file with @FILE, or leave the data out")
            }
            try await hub.ask { client in
                var posting = LinePosting(client, topic: topic, type: type, contentType: contentType, key: key)
                try await posting.run(file, of: path ?? LineReader.standardInput)
            }
            return
        }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try file?.readAll(atMost: Self.largest) ?? Array((data ?? "").utf8)
        } catch {
            throw Failure.exit(EX_NOINPUT, "\(path ?? LineReader.standardInput): \(error.reason)")
        }
        let receipts = try await hub.ask {
            try await $0.postAll(bytes, to: topic, type: type, contentType: contentType, key: key)
        }
        var printout = Printout()
        for receipt in receipts { printout.line(receipt.id) }
        try printout.end("posted \(receipts.map(\.id).joined(separator: " "))")
    }

    /// The file that is named; nil if the data is the argument, or on standard input.
    private var path: String? { data.flatMap { $0.hasPrefix("@") ? String($0.dropFirst()) : nil } }

    /// The file that the data comes from; nil if it is the argument, or nothing.
    private func opened() throws -> FileDescriptor? {
        if data == "-" || data == nil && (lines || isatty(STDIN_FILENO) == 0) { return try .input(nil) }
        return try path.map(FileDescriptor.input)
    }
}
