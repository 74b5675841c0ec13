import ArgumentParser
import Glibc

/// Which log a command reads that speaks to no hub.
struct LogFolder: ParsableArguments {
    @Option(help: "The folder that holds the log. (default: CLARION_DATA, or data)")
    var data: String?

    /// - Throws: the exit, if an empty one is named, as by a variable of the shell that is not set: files in it would be those of
    ///   the system's root.
    var path: String {
        get throws {
            guard let data else { return Environment["CLARION_DATA"] ?? "data" }
            guard !data.isEmpty else {
                throw Failure.exit(EX_USAGE, SettingsError(.data, "is empty: give it a value, or leave it out").message)
            }
            return data
        }
    }
}
