import ArgumentParser

/// `clarion token`: makes and reads credentials.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make API keys, sign tokens, and see what a token says.",
        subcommands: [TokenCreate.self, TokenSign.self, TokenInspect.self]
    )
}
