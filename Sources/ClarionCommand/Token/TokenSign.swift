import Access
import ArgumentParser
import Clarion
import FoundationEssentials
import Glibc
import Notation

/// `clarion token sign`: signs a JSON Web Token.
struct TokenSign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign a token (JWT).",
        discussion: """
            Prints a token that is signed with a shared secret (HS256), or with a private key (RS256, ES256 or EdDSA, by \
            the kind of the key). A hub takes it if its credentials file names the secret, or a key set with the public \
            key.

            EXAMPLE
              openssl rand -base64 48 > hmac.key
              clarion token sign --secret-file hmac.key --subject ann \\
                      --subscribe 'orders.**' --expires-in 8h
            """
    )

    @Option(help: ArgumentHelp("A file with a secret of 32 bytes or more in base64.", valueName: "file"))
    var secretFile: String?

    @Option(help: ArgumentHelp("A file with a private key in PEM: RSA, P-256 or Ed25519.", valueName: "file"))
    var key: String?

    @Option(help: "Who the token is for (claim sub).")
    var subject: String?

    @OptionGroup var rights: GrantOptions

    @Option(help: "For how long the token is valid, such as 30s, 15m or 7d.")
    var expiresIn = "1h"

    @Option(help: "Who signs it (claim iss).")
    var issuer: String?

    @Option(help: "Which hub it is for (claim aud).")
    var audience: String?

    @Option(help: ArgumentHelp("The name of the key in its key set (header kid).", valueName: "name"))
    var kid: String?

    func run() async throws {
        guard let duration = Duration(text: expiresIn), duration > .zero else {
            throw Failure.exit(EX_USAGE, "--expires-in: \"\(expiresIn)\" is not a time such as 30s, 1h or 7d")
        }
        let grant = try rights.grant()
        let now = Timestamp.now()
        guard (secretFile == nil) != (key == nil) else {
            throw Failure.exit(EX_USAGE, "give either --secret-file or --key")
        }
        let token: String
        do throws(CredentialsError) {
            token = try await signer().token(
                subject: subject,
                grant: grant,
                issuer: issuer,
                audience: audience,
                keyID: kid,
                issued: now,
                expires: now.advanced(byMilliseconds: duration.milliseconds)
            )
        } catch {
            throw Failure.exit(EXIT_FAILURE, error.message)
        }
        try Output.line(token)
        rights.warnOfNone()
    }

    private func signer() throws(CredentialsError) -> TokenSigner {
        if let secretFile {
            return try TokenSigner(secretFile: URL(filePath: secretFile, directoryHint: .notDirectory))
        }
        return try TokenSigner(privateKeyFile: URL(filePath: key ?? "", directoryHint: .notDirectory))
    }
}
