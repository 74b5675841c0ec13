import ArgumentParser
import ClarionClient
import Glibc

/// `clarion listen`: hears events.
struct Listen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print events as they come, or run a command for each.",
        discussion: """
            Goes on by itself after the hub was away, and misses nothing; where the hub no longer has what came meanwhile, \
            standard error says so. Prints time, topic, type and data of an event in a line; with --json, the event as one \
            document.

            --exec runs a command with /bin/sh for each event, one at a time and in order: the data is its standard input, \
            and CLARION_ID, CLARION_TOPIC, CLARION_TYPE and CLARION_TIME are in its environment. One that fails is reported on \
            standard error, and the next event follows.

            EXAMPLE
              clarion listen 'orders.**' --since 10m
              clarion listen builds.done --json | jq .data
              clarion listen 'deploy.*' --exec './deploy.sh "$CLARION_TOPIC"'
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Topics or patterns, up to 100: * is one segment, ** at the end one or more.",
            valueName: "pattern"
        )
    )
    var patterns: [String]

    @Option(
        help: """
            Where to begin: latest, earliest, last (the newest event), a time such as 2026-11-20T23:19:00Z, or a duration \
            such as 10m. (default: latest)
            """
    )
    var since: String?

    @Option(help: "Only events of this type. May be given several times, or as a,b.")
    var type: [String] = []

    @Option(help: ArgumentHelp("Begin after this event.", valueName: "id"))
    var lastEventId: String?

    @Flag(help: "Print each event as a line of JSON.")
    var json = false

    @Option(help: ArgumentHelp("Run a command for each event instead of printing it.", valueName: "command"))
    var exec: String?

    @OptionGroup var hub: HubOptions

    func run() async throws {
        // One that names none is not all: it is refused.
        let types = type.flatMap { text in
            let names = text.split(separator: ",").map { String($0) }
            return names.isEmpty ? [text] : names
        }
        let start: ClarionClient.Start = lastEventId.map { .after($0) } ?? since.map { .since($0) } ?? .latest
        try await hub.ask { client in
            let events = client.events(matching: patterns, since: start, types: types) { notice in
                Self.tell(notice)
            }
            for try await event in events {
                if let exec {
                    run(exec, for: event)
                } else if json {
                    try Output.write(json: event.json + [UInt8(ascii: "\n")])
                } else {
                    try Output.line(Self.line(event))
                }
            }
            Remark.line("the hub has unregistered this stream")
        }
    }

    private func run(_ command: String, for event: ClarionClient.Event) {
        let child = ChildCommand(
            command,
            input: event.data,
            environment: [
                "CLARION_ID": event.id, "CLARION_TOPIC": event.topic, "CLARION_TYPE": event.type ?? "",
                "CLARION_TIME": event.time,
            ]
        )
        if let failure = child.run() { Remark.line("\(event.id): the command \(failure)") }
    }

    /// Printed on standard error, beside the events.
    private static func tell(_ notice: ClarionClient.Notice) {
        switch notice {
        case .connected: break
        case .disconnected(let error, let retry):
            let reason = error?.detail ?? "The stream has ended."
            Remark.line("\(reason) Trying again in \(retry.formattedSeconds).")
        case .gap(let gap):
            let reason = gap.reason == "retention" ? "they were removed" : "the hub does not know this id"
            Remark.line("gap: events after \(gap.after) are missing: \(reason)")
        }
    }

    /// An event for people. Whoever wants the data as it is takes --json, or --exec.
    private static func line(_ event: ClarionClient.Event) -> String {
        let data = event.text.map(TerminalText.escaped) ?? "(\(event.data.count) bytes)"
        guard Output.isTerminal else {
            return [event.time, event.topic, event.type ?? "", data]
                .map(TerminalText.escaped).joined(separator: "\t")
        }
        let type = event.type.map { " " + Style.yellow(TerminalText.escaped($0)) } ?? ""
        return
            "\(Style.dim(TerminalText.escaped(event.time))) \(Style.cyan(TerminalText.escaped(event.topic)))\(type) \(data)"
    }
}

extension Duration {
    /// Such as `3.2 s`.
    fileprivate var formattedSeconds: String {
        let tenths = components.seconds * 10 + components.attoseconds / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
