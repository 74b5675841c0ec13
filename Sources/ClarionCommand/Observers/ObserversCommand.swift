import ArgumentParser
import ClarionClient
import JSON

/// `clarion observers`: who listens, and what became of deliveries.
struct ObserversCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "observers",
        abstract: "See who listens; register webhooks, look after their deliveries, unregister.",
        discussion: """
            EXAMPLE
              clarion observers
              clarion observers add https://example.com/hook 'orders.*' --id mailer
              clarion observers deliveries mailer --state dead
              clarion observers recover mailer --since 7d
            """,
        subcommands: [
            ObserversList.self, ObserversAdd.self, ObserversShow.self, ObserversTest.self, ObserversDeliveries.self,
            ObserversRecover.self, ObserversReplay.self, ObserversRotate.self, ObserversRemove.self,
        ],
        defaultSubcommand: ObserversList.self
    )
}

struct ObserversList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List streams, webhooks and objects.",
        discussion: "With --json, one document: {\"observers\": […], \"next\": null}."
    )

    @Option(help: "Only those of exactly this topic or pattern.")
    var topic: String?

    @Option(help: "Only stream, webhook or object.")
    var kind: String?

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        let observers = try await answer.hub.ask { try await $0.observerDocuments(topic: topic, kind: kind) }
        if answer.json { return try Output.json("observers", observers) }
        var table = Table("ID", "KIND", "STATE", "TOPICS", "PENDING", "DEAD", "LEADS TO")
        for observer in observers.elements {
            let state = observer.cell("state")
            table.add(
                observer.cell("id"),
                observer.cell("kind"),
                observer.cell("reason").isEmpty ? state : "\(state) (\(observer.cell("reason")))",
                observer.cell("topics"),
                observer["stats"]?.cell("pending") ?? "",
                observer["stats"]?.cell("deadLetters") ?? "",
                observer["url"]?.text ?? observer["remoteAddress"]?.text ?? observer.cell("type")
            )
        }
        try table.print()
        Remark.missing(from: observers)
    }
}

struct ObserversShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show an observer.")

    @Argument(help: "Its id.")
    var id: String

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        try ObserverText.print(try await answer.hub.ask { try await $0.observer(id) }, json: answer.json)
    }
}

struct ObserversRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Unregister observers: streams end, webhooks are deleted."
    )

    @Argument(help: "Their ids.")
    var ids: [String]

    @OptionGroup var hub: HubOptions

    func run() async throws {
        try await hub.ask { client in
            for id in ids { try await client.unregister(id) }
        }
    }
}

/// An observer for people.
enum ObserverText {
    static func print(_ observer: JSONValue, json: Bool) throws {
        if json { return try Output.json(observer) }
        try Document.print(
            observer,
            [
                "id", "kind", "state", "reason", "topics", "types", "url", "description", "format", "signature",
                "secret",
                "publicKey", "previousSecretUntil", "ordered", "maxInFlight", "ratePerSecond", "headers", "type",
                "remoteAddress", "connectedAt", "lastEventId", "queuedBytes", "createdAt", "createdBy",
            ]
        )
        if let stats = observer["stats"] {
            try Document.print(
                stats,
                [
                    "delivered", "failed", "pending", "deadLetters", "lastStatus", "lastAttemptAt", "lastFailure",
                    "failingSince",
                ]
            )
        }
        for warning in observer["warnings"]?.elements ?? [] { Remark.line("warning: \(warning.cell("detail"))") }
    }
}
