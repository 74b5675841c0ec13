import ArgumentParser
import ClarionClient
import Glibc
import JSON

struct ObserversDeliveries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliveries",
        abstract: "List a webhook's deliveries, or show one with its attempts.",
        discussion: """
            Those of the newest events first. With --json, one document: {"deliveries": […], "next": null}, or the delivery.
            """
    )

    @Argument(help: "The webhook's id.")
    var id: String

    @Argument(help: "An event's id: shows its delivery, with the last attempts.")
    var event: String?

    @Option(help: "Only pending, delivered or dead.")
    var state: String?

    @Option(help: "How many at most.")
    var limit = 100

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        guard limit > 0 else { throw Failure.exit(EX_USAGE, "--limit: is a number from 1 on") }
        if let event { return try await show(event) }
        let deliveries = try await answer.hub.ask { try await $0.deliveries(of: id, state: state, limit: limit) }
        if answer.json { return try Output.json("deliveries", deliveries) }
        var table = Table("EVENT", "TOPIC", "TYPE", "STATE", "ATTEMPTS", "STATUS", "FAILURE", "ATTEMPTED", "NEXT")
        for delivery in deliveries.elements {
            table.add(
                ["event", "topic", "type", "state", "attempts", "status", "failure", "attemptedAt", "nextAttemptAt"],
                of: delivery
            )
        }
        try table.print()
    }

    private func show(_ event: String) async throws {
        let delivery = try await answer.hub.ask { try await $0.delivery(of: event, to: id) }
        if answer.json { return try Output.json(delivery) }
        let names = ["event", "topic", "type", "state", "attempts", "status", "failure", "nextAttemptAt", "createdAt"]
        try Document.print(delivery, names)
        var table = Table("NUMBER", "AT", "MS", "STATUS", "FAILURE", "MESSAGE", "RESPONSE")
        for attempt in delivery["attemptLog"]?.elements ?? [] {
            table.add(
                ["number", "at", "durationMs", "status", "failure", "message", "response"],
                of: attempt
            )
        }
        try table.print()
    }
}
