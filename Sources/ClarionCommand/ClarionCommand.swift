import ArgumentParser
import Clarion
import Glibc

/// The executable: parses, configures, runs.
@main
struct ClarionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clarion",
        abstract: "An HTTP hub: post an event once, every observer hears it.",
        discussion: """
            Everything that listens is an observer of one broadcaster: a browser on a stream of server-sent events, \
            a service behind a webhook URL, a Swift object in the process.

            EXAMPLE
              clarion serve &
              curl -N localhost:8080/topics/greetings/events -H 'Accept: text/event-stream' &
              curl -d 'hello' localhost:8080/topics/greetings/events
            """,
        version: Hub.version,
        subcommands: [Serve.self, Check.self, TokenCommand.self],
        defaultSubcommand: Serve.self
    )

    static func main() async {
        // A peer that is gone is noticed where it is written to, not by a signal that ends the process.
        _ = signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }
}
