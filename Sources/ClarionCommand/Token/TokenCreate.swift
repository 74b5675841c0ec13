import Access
import ArgumentParser
import Clarion
import FoundationEssentials
import Glibc
import Notation

/// `clarion token create`: makes an API key.
struct TokenCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make an API key.",
        discussion: """
            Prints the key, once, and adds its hash to the credentials file, which is made if there is none. The rest of \
            the file stays as it is; its mode becomes 0600. A hub that runs takes the key after SIGHUP.

            EXAMPLE
              clarion token create --file credentials.json --name ci \\
                      --publish 'builds.**' --subscribe 'builds.**'
            """
    )

    @Option(help: "Who uses the key: up to 255 bytes, for people.")
    var name: String

    @OptionGroup var rights: GrantOptions

    @Option(
        help: ArgumentHelp(
            "When the key ends: a time such as 2027-01-01T00:00:00Z, or a duration from now such as 90d. (default: never)",
            valueName: "time"
        )
    )
    var expires: String?

    @Option(help: "The credentials file. (default: CLARION_CREDENTIALS)")
    var file: String?

    @Flag(help: "Change no file, but print the key, and in a second line the entry to add to \"keys\".")
    var print = false

    func run() async throws {
        guard (1...255).contains(name.utf8.count),
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw Failure.exit(EX_USAGE, "--name: must have 1 to 255 bytes and no control characters")
        }
        let key = NewKey(name: name, grant: try rights.grant(), expires: try end())
        if print {
            try Output.line(key.text)
            try Output.line(key.entryText)
            return rights.warnOfNone()
        }
        guard let path = file ?? Environment.credentials else {
            throw Failure.exit(EX_USAGE, "--file: name the credentials file, or use --print")
        }
        do throws(CredentialsError) {
            try key.append(to: URL(filePath: path, directoryHint: .notDirectory))
        } catch {
            throw Failure.exit(EXIT_FAILURE, error.message)
        }
        try Output.line(key.text)
        rights.warnOfNone()
    }

    private func end() throws -> Timestamp? {
        try expires.map { text in
            let now = Timestamp.now()
            let time =
                Timestamp(rfc3339: text)
                ?? Duration(text: text).map { now.advanced(byMilliseconds: $0.milliseconds) }
            guard let time, time > now else {
                throw Failure.exit(EX_USAGE, "--expires: must be a time to come such as 2027-01-01T00:00:00Z, or 90d")
            }
            return time
        }
    }
}
