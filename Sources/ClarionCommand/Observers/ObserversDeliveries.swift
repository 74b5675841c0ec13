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

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var hub: HubOptions

    func run() async throws {
        guard limit > 0 else { throw Failure.exit(EX_USAGE, "--limit: is a number from 1 on") }
        if let event { return try await show(event) }
        let deliveries = try await hub.ask { try await $0.deliveries(of: id, state: state, limit: limit) }
        if json { return try Output.json(.object(["deliveries": .array(deliveries), "next": .null])) }
        var table = Table("EVENT", "TOPIC", "TYPE", "STATE", "ATTEMPTS", "STATUS", "FAILURE", "ATTEMPTED", "NEXT")
        for delivery in deliveries {
            table.add(
                delivery.cell("event"),
                delivery.cell("topic"),
                delivery.cell("type"),
                delivery.cell("state"),
                delivery.cell("attempts"),
                delivery.cell("status"),
                delivery.cell("failure"),
                delivery.cell("attemptedAt"),
                delivery.cell("nextAttemptAt")
            )
        }
        try table.print()
    }

    private func show(_ event: String) async throws {
        let delivery = try await hub.ask { try await $0.delivery(of: event, to: id) }
        if json { return try Output.json(delivery) }
        let names = ["event", "topic", "type", "state", "attempts", "status", "failure", "nextAttemptAt", "createdAt"]
        try Document.print(delivery, names)
        var table = Table("NUMBER", "AT", "MS", "STATUS", "FAILURE", "MESSAGE", "RESPONSE")
        for attempt in delivery["attemptLog"]?.elements ?? [] {
            table.add(
                attempt.cell("number"),
                attempt.cell("at"),
                attempt.cell("durationMs"),
                attempt.cell("status"),
                attempt.cell("failure"),
                attempt.cell("message"),
                attempt.cell("response")
            )
        }
        try table.print()
    }
}
