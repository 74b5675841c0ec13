import ArgumentParser
import ClarionClient
import Glibc
import JSON

/// `clarion topics`: what there is, and how much of it is kept.
struct TopicsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "See topics; bound what they keep, delete them.",
        discussion: """
            EXAMPLE
              clarion topics
              clarion topics set readings --events 1000 --age 7d
            """,
        subcommands: [TopicsList.self, TopicsShow.self, TopicsSet.self, TopicsDelete.self],
        defaultSubcommand: TopicsList.self
    )
}

struct TopicsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List topics that have events or settings.",
        discussion: "With --json, one document: {\"topics\": […], \"next\": null}."
    )

    @Option(help: "What their names begin with.")
    var prefix: String?

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        let topics = try await answer.hub.ask { try await $0.topicDocuments(prefix: prefix) }
        if answer.json { return try Output.json("topics", topics) }
        var table = Table("NAME", "EVENTS", "BYTES", "STREAMS", "WEBHOOKS", "OBJECTS", "KEEPS")
        for topic in topics.elements {
            let observers = topic["observers"]
            table.add(
                topic.cell("name"),
                topic.cell("events"),
                topic.cell("bytes"),
                observers?.cell("stream") ?? "",
                observers?.cell("webhook") ?? "",
                observers?.cell("object") ?? "",
                TopicText.bounds(topic["retention"])
            )
        }
        try table.print()
        Remark.missing(from: topics)
    }
}

struct TopicsShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a topic.")

    @Argument(help: "Its name.")
    var name: String

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        try TopicText.print(try await answer.hub.ask { try await $0.topic(name) }, json: answer.json)
    }
}

struct TopicsSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Bound what a topic keeps, instead of the hub's defaults.",
        discussion: "What is not given is the hub's default again; --defaults takes all bounds of its own away."
    )

    @Argument(help: "Its name.")
    var name: String

    @Option(help: "How many events.")
    var events: Int?

    @Option(help: "For how long, such as 30m, 7d or 1h30m.")
    var age: String?

    @Option(help: "How many bytes of data, such as 1048576 or 64MiB.")
    var bytes: String?

    @Flag(help: "The hub's defaults.")
    var defaults = false

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        var bounds: [String: JSONValue] = [:]
        bounds["events"] = events.map { .number(Double($0)) }
        bounds["age"] = age.map { .string($0) }
        bounds["bytes"] = bytes.map { text in Int(text).map { .number(Double($0)) } ?? .string(text) }
        guard bounds.isEmpty == defaults else {
            throw Failure.exit(EX_USAGE, "give --events, --age or --bytes, or --defaults alone")
        }
        let settings = JSONValue.object(["retention": defaults ? .null : .object(bounds)])
        try TopicText.print(try await answer.hub.ask { try await $0.setTopic(name, settings) }, json: answer.json)
    }
}

struct TopicsDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete topics: their events with their deliveries, and their settings."
    )

    @Argument(help: "Their names.")
    var names: [String]

    @OptionGroup var hub: HubOptions

    func run() async throws {
        try await hub.ask { client in
            for name in names { try await client.deleteTopic(name) }
        }
    }
}

/// A topic for people.
enum TopicText {
    static func print(_ topic: JSONValue, json: Bool) throws {
        if json { return try Output.json(topic) }
        try Document.print(topic, ["name", "events", "bytes", "firstId", "lastId"])
        if let observers = topic["observers"] { try Document.print(observers, ["stream", "webhook", "object"]) }
        let bounds = bounds(topic["retention"])
        if !bounds.isEmpty { try Document.print(.object(["keeps": .string(bounds)]), ["keeps"]) }
    }

    static func bounds(_ retention: JSONValue?) -> String {
        guard let retention else { return "" }
        let parts = [("events", " events"), ("age", ""), ("bytes", " bytes")].compactMap { name, unit in
            retention.cell(name).isEmpty ? nil : retention.cell(name) + unit
        }
        return parts.joined(separator: ", ")
    }
}
