import ArgumentParser

/// How a command shows what a hub answers, and which hub it is.
struct AnswerOptions: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var hub: HubOptions
}
