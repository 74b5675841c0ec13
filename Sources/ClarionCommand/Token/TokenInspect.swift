import Access
import ArgumentParser
import EventLog
import FoundationEssentials
import Glibc
import Logging
import Posix

/// `clarion token inspect`: tells what tokens say.
struct TokenInspect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "See what a token says, and whether a hub would take it.",
        discussion: """
            Without --credentials nothing is verified: anybody can have written what is shown. With it, API keys can be \
            looked at, too, and the exit is 1 if a credential is refused.

            Key sets at file: URLs are read; those at https: and http: URLs are not fetched.

            Other users of this machine can see arguments: give the token on standard input, one in each line.
            """
    )

    @Argument(help: "The token. (default: one in each line of standard input)")
    var token: String?

    @Option(help: ArgumentHelp("Also say whether a hub with this credentials file takes it.", valueName: "file"))
    var credentials: String?

    func run() async throws {
        let credentials = try loaded()
        var printout = Printout()
        var areAllAccepted = true
        if let token {
            areAllAccepted = await Self.tell(token, credentials, &printout)
        } else {
            var reader = LineReader(FileDescriptor(STDIN_FILENO), longest: Self.longest)
            while let lines = try reader.read(LineReader.standardInput) {
                for line in lines where !line.isEmpty {
                    let token = String(decoding: line, as: UTF8.self)
                    areAllAccepted = await Self.tell(token, credentials, &printout) && areAllAccepted
                    printout.line("")
                }
            }
        }
        // Also if nobody reads which.
        guard areAllAccepted else { throw ExitCode(EXIT_FAILURE) }
        try printout.end("all were read")
    }

    /// More bytes than any token has that fits in a request's head.
    private static let longest = 1 << 20

    /// Prints what there is to say of one token.
    ///
    /// - Returns: false if it was refused.
    private static func tell(_ token: String, _ credentials: Credentials?, _ printout: inout Printout) async -> Bool {
        for line in lines(token) { printout.line(line) }
        guard let credentials else { return true }
        do throws(CredentialFault) {
            let principal = try await credentials.authenticate(token)
            printout.line("accepted  as \(principal.name), rights: \(principal.grant.words)")
            return true
        } catch {
            printout.line("refused   \(error.description)")
            return false
        }
    }

    private func loaded() throws -> Credentials? {
        guard let path = credentials else { return nil }
        let logger = Logger(label: "clarion") { _ in SwiftLogNoOpLogHandler() }
        do throws(CredentialsError) {
            let file = URL(filePath: path, directoryHint: .notDirectory)
            return try Credentials(file: file, fetcher: nil, logger: logger)
        } catch {
            throw Failure.exit(EXIT_FAILURE, error.message)
        }
    }

    private static func lines(_ text: String) -> [String] {
        guard text.utf8.contains(UInt8(ascii: ".")) else { return ["key       not a token: an API key, or nothing"] }
        do throws(CredentialFault) {
            let summary = try TokenSummary(text)
            return [
                "header    \(summary.header)",
                "claims    \(summary.claims)",
                "rights    \(summary.grant.words)",
                "expires   \(summary.expires.map { "\($0.rfc3339), \($0.distance)" } ?? "never")",
            ] + (summary.notBefore.map { ["from      \($0.rfc3339), \($0.distance)"] } ?? [])
        } catch {
            return ["token     \(error.detail)"]
        }
    }
}

extension Grant {
    /// Its rights in words, such as `publish builds.**; subscribe builds.** public.**`.
    fileprivate var words: String {
        let rights = Right.allCases.filter { allowsAnything($0) }
        guard !rights.isEmpty else { return "none" }
        let words = rights.map { "\($0.rawValue) \(patterns($0).map(\.text).joined(separator: " "))" }
        return words.joined(separator: "; ")
    }
}

extension Timestamp {
    /// How far away it is, such as `in 59m` or `3h ago`.
    fileprivate var distance: String {
        let distance = milliseconds - Timestamp.now().milliseconds
        // Half a second more, so that what was just made for an hour has an hour.
        let seconds = (distance.magnitude + 500) / 1_000
        let (number, unit) =
            switch seconds {
            case 0..<120: (seconds, "s")
            case 120..<7_200: (seconds / 60, "m")
            case 7_200..<172_800: (seconds / 3_600, "h")
            default: (seconds / 86_400, "d")
            }
        return distance < 0 ? "\(number)\(unit) ago" : "in \(number)\(unit)"
    }
}
