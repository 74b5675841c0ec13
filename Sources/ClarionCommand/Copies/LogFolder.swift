import ArgumentParser

/// Which log a command reads that speaks to no hub.
struct LogFolder: ParsableArguments {
    @Option(help: "The folder that holds the log. (default: CLARION_DATA, or data)")
    var data: String?

    var path: String { data ?? Environment["CLARION_DATA"] ?? "data" }
}
