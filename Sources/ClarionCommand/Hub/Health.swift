import ArgumentParser
import ClarionClient

/// `clarion health`: whether a hub takes posts.
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask whether the hub takes posts.",
        discussion: """
            Exits with 0 if it does, with 1 if it does not, and says why (it stops, its disk is full), and with 2 if it \
            cannot be reached: what HEALTHCHECK and probes want to know. Needs no token.
            """
    )

    @OptionGroup var hub: HubOptions

    @Flag(help: "Print the state as JSON.")
    var json = false

    func run() async throws {
        try await hub.ask { try await $0.health() }
        try Output.line(json ? #"{"status":"ready"}"# : "ready")
    }
}
