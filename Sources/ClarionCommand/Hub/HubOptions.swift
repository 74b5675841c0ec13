import ArgumentParser
import ClarionClient
import Glibc
import Notation

/// Which hub a command speaks to, and as who.
struct HubOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the hub is. (default: CLARION_URL, or http://127.0.0.1 at CLARION_PORT, or at 8080)",
            valueName: "url"
        )
    )
    var hub: String?

    @Option(
        help: ArgumentHelp(
            """
            An API key, or a token. Other users of this machine can see arguments: better set CLARION_TOKEN. \
            (default: CLARION_TOKEN, or none)
            """,
            valueName: "token"
        )
    )
    var token: String?

    @Option(
        help: ArgumentHelp(
            """
            A PEM file of the certificate authorities that an https hub is trusted by. (default: CLARION_CA_FILE, or the \
            system's)
            """,
            valueName: "file"
        )
    )
    var caFile: String?

    /// The hub of the same environment, as in a container whose `HEALTHCHECK` is `clarion health`. A port of 0, or a
    /// service link of Kubernetes, names none.
    ///
    /// - Throws: the exit, if the variable is none of these, as `clarion serve` does.
    private static func local() throws -> String {
        let name = Setting.port.variable
        guard let text = Environment[name], !SettingsEnvironment.isServiceLink(name, text) else {
            return ClarionClient.defaultHub
        }
        guard let port = UInt16(digits: text.utf8) else {
            throw Failure.exit(EX_USAGE, "\(name): must be a number from 0 to 65535")
        }
        return port == 0 ? ClarionClient.defaultHub : "http://127.0.0.1:\(port)"
    }

    /// Does something with the hub.
    ///
    /// - Throws: the exit, after one line was said about what went wrong.
    func ask<Result>(_ body: (ClarionClient) async throws -> Result) async throws -> Result {
        var configuration = ClarionClient.Configuration()
        // Whatever a hub takes can be listened to and exported.
        configuration.maximumEventBytes = LineReader.longest
        configuration.certificateAuthorities = caFile ?? Environment["CLARION_CA_FILE"]
        do {
            let client = try ClarionClient(
                try hub ?? Environment["CLARION_URL"] ?? Self.local(),
                token: token ?? Environment["CLARION_TOKEN"],
                configuration: configuration
            )
            return try await body(client)
        } catch let error as ClientError {
            guard error.code == ClientError.authoritiesInvalid else { throw Failure.exit(error) }
            throw Failure.exit(EX_USAGE, "\(caFile == nil ? "CLARION_CA_FILE" : "--ca-file"): \(error.detail)")
        }
    }
}

extension Failure {
    /// What `clarion` exits with if it does not reach the hub.
    static let unreachable: Int32 = 2

    /// The exit to throw: 1 for what the hub refuses, 2 for a hub that is not reached.
    ///
    /// - Parameter part: what of the input it is about; nil for all of it.
    static func exit(_ error: ClientError, of part: String? = nil) -> ExitCode {
        let reason = error.isOfHub ? "\(error.detail)\(advice(error)) (\(error.code))" : error.detail
        return exit(status(error), part.map { "\($0): \(reason)" } ?? reason)
    }

    private static func status(_ error: ClientError) -> Int32 {
        switch error.code {
        case ClientError.unreachable, ClientError.untrusted, ClientError.interrupted: unreachable
        case ClientError.argumentInvalid where error.isOfDocument: EXIT_FAILURE
        case ClientError.hubInvalid, ClientError.tokenInvalid, ClientError.argumentInvalid: EX_USAGE
        default: EXIT_FAILURE
        }
    }

    private static func advice(_ error: ClientError) -> String {
        error.code == "credential-required" ? " Give --token, or set CLARION_TOKEN." : ""
    }
}
