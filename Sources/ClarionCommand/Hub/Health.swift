import ArgumentParser
import ClarionClient

/// `clarion health`: whether a hub takes posts.
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask whether the hub takes posts.",
        discussion: """
            Exits with 0 if it does, with 1 if it does not, and says why (it stops, its disk is full), and with 2 if it \
            cannot be reached or does not answer within 4 s: what HEALTHCHECK and probes want to know. Needs no token.
            """
    )

    @OptionGroup var hub: HubOptions

    @Flag(help: "Print the state as JSON.")
    var json = false

    /// Before the 5 s after which Docker ends the `HEALTHCHECK` of the image, and nobody would learn why.
    private static let limit = Duration.seconds(4)

    func run() async throws {
        try await hub.ask { try await $0.health(within: Self.limit) }
        try Output.line(json ? #"{"status":"ready"}"# : "ready")
    }
}
