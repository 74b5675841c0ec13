import ArgumentParser
import ClarionClient
import Glibc
import JSON

struct ObserversTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Deliver an event of type clarion.test now.",
        discussion: "Shows what became of it. Exits with 1 if it did not arrive."
    )

    @Argument(help: "The webhook's id.")
    var id: String

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        let attempt = try await answer.hub.ask { try await $0.act("test", on: id, for: "event") }
        if answer.json {
            try Output.json(attempt)
        } else {
            try Document.print(attempt, ["event", "status", "durationMs", "failure", "message", "response"])
        }
        guard attempt.cell("failure").isEmpty else { throw ExitCode(EXIT_FAILURE) }
    }
}

struct ObserversRecover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Deliver a webhook's dead letters again."
    )

    @OptionGroup var again: Again

    func run() async throws { try await again.run("recover", "recovered") }
}

struct ObserversReplay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Deliver everything again, also what arrived."
    )

    @OptionGroup var again: Again

    func run() async throws { try await again.run("replay", "replayed") }
}

/// What is to be delivered again.
struct Again: ParsableArguments {
    @Argument(help: "The webhook's id.")
    var id: String

    @Option(help: "From when on: a time, a duration such as 7d, the id of the first event, or earliest.")
    var since: String

    @OptionGroup var answer: AnswerOptions

    func run(_ action: String, _ count: String) async throws {
        let start = try await answer.hub.ask { client in
            try await client.act(action, on: id, ["since": .string(since)], for: count)
        }
        try answer.json ? Output.json(start) : Output.line(TerminalText.escaped(start.cell(count)))
    }
}

struct ObserversRotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Give a webhook another secret.",
        discussion: "Shows the new secret, which is not shown again. The one before signs for 24 hours more."
    )

    @Argument(help: "The webhook's id.")
    var id: String

    @Option(help: "The secret. Other users of this machine can see arguments. (default: the hub makes one)")
    var secret: String?

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        let members = secret.map { ["secret": JSONValue.string($0)] } ?? [:]
        let observer = try await answer.hub.ask { try await $0.act("secret", "rotate", on: id, members, for: "id") }
        if answer.json { return try Output.json(observer) }
        try Output.line(TerminalText.escaped(observer.cell("secret")))
    }
}
