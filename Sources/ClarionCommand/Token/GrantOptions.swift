import Access
import ArgumentParser
import EventLog
import Glibc

/// What a key or a token is to allow.
struct GrantOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Allow posting on topics that match, such as 'builds.**'. May be given several times.",
            valueName: "pattern"
        )
    )
    var publish: [String] = []

    @Option(
        help: ArgumentHelp("Allow hearing topics that match. May be given several times.", valueName: "pattern")
    )
    var subscribe: [String] = []

    @Option(
        help: ArgumentHelp(
            "Allow managing topics that match, and their observers. May be given several times.",
            valueName: "pattern"
        )
    )
    var manage: [String] = []

    /// - Throws: the exit, after it was told which pattern is none.
    func grant() throws -> Grant {
        Grant(
            publish: try patterns(publish, "publish"),
            subscribe: try patterns(subscribe, "subscribe"),
            manage: try patterns(manage, "manage")
        )
    }

    /// For what was made: a hub takes it, and refuses whatever is done with it.
    func warnOfNone() {
        guard [publish, subscribe, manage].allSatisfy(\.isEmpty) else { return }
        Remark.line("warning: it allows nothing: give it --publish, --subscribe or --manage")
    }

    private func patterns(_ texts: [String], _ option: String) throws -> [TopicPattern] {
        try texts.map { text in
            do throws(TopicError) {
                return try TopicPattern(text)
            } catch {
                throw Failure.exit(EX_USAGE, "--\(option): \"\(text)\": \(error.message)")
            }
        }
    }
}
