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

            Commands but serve, check, token, backup and cluster speak to a hub: --hub or CLARION_URL says which, --token or \
            CLARION_TOKEN as who. They exit with 0, with 1 for what the hub refuses, with 2 if it cannot be reached, with \
            64 for what is no command, with 65 for a line to import that is no event, with 66 if a file cannot be read, \
            with 73 if one cannot be made, and with 74 if it is done but cannot be printed.

            EXAMPLE
              clarion serve &
              until clarion health 2>/dev/null; do sleep 0.1; done
              clarion listen greetings &
              clarion post greetings hello

            The same without this program:
              curl -N localhost:8080/topics/greetings/events \\
                   -H 'Accept: text/event-stream' &
              curl -d 'hello' localhost:8080/topics/greetings/events
            """,
        version: Hub.version,
        groupedSubcommands: [
            CommandGroup(
                name: "The hub",
                subcommands: [Serve.self, Check.self, Backup.self, TokenCommand.self, ClusterCommand.self]
            ),
            CommandGroup(name: "Events", subcommands: [PostCommand.self, Listen.self, Export.self, Import.self]),
            CommandGroup(
                name: "What is there",
                subcommands: [TopicsCommand.self, ObserversCommand.self, Health.self]
            ),
        ]
    )

    /// Without a command: what to do.
    func run() async throws {
        try Output.line(
            """
            Clarion is an HTTP hub: post an event once, and every observer hears it.

              clarion serve                        run a hub on http://127.0.0.1:8080, with its log in ./data
              clarion listen greetings             hear events, in another terminal
              clarion post greetings hello         post one, in a third

            http://127.0.0.1:8080/ shows the same in a browser. `clarion --help` lists all commands.
            """
        )
    }

    static func main() async {
        // A peer that is gone is noticed where it is written to, not by a signal that ends the process.
        _ = signal(SIGPIPE, SIG_IGN)
        // So is a file that may not become larger (RLIMIT_FSIZE).
        _ = signal(SIGXFSZ, SIG_IGN)
        // Swift's runtime takes it for a crash, writes a report of many pages, and goes on. What it does by default it does not
        // do to a container's first process.
        _ = signal(SIGQUIT, getpid() == 1 ? { _ in _exit(128 + SIGQUIT) } : SIG_DFL)
        Self.occupyStandardDescriptors()
        // Swift reads them there, and libdispatch what its threads do, without which it ends the process.
        if CommandLine.arguments.isEmpty {
            exit(withError: Failure.exit(EXIT_FAILURE, "/proc is not there: mount it (mount -t proc proc /proc)."))
        }
        if let reason = UnknownCommand.reason(in: CommandLine.arguments.dropFirst(), of: Self.self) {
            exit(withError: Failure.exit(EX_USAGE, reason))
        }
        await main(nil)
    }

    /// Keeps the numbers of standard input and output that are closed from the next files to be opened: what is printed would
    /// go to a client, or into the log. Who reads or writes there is told that it cannot.
    private static func occupyStandardDescriptors() {
        for (number, flags) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(number, F_GETFD) < 0 {
            // The lowest number that is free is this one.
            _ = unsafe open("/dev/null", flags)
        }
    }
}
