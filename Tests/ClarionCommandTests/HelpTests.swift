import ArgumentParser
import Testing

@testable import ClarionCommand

@Suite struct HelpTests {
    private static func all(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        let configuration = command.configuration
        let beneath = configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
        return [command] + beneath.flatMap(all)
    }

    /// The parser breaks longer lines, and half a command is another command.
    @Test func `a line of an example fits into a terminal of 80 columns`() {
        var examples = 0
        for command in Self.all(ClarionCommand.self) {
            for line in command.configuration.discussion.split(separator: "\n") where line.hasPrefix("  ") {
                examples += 1
                #expect(line.count < 80, "\(command): \(line)")
            }
        }
        #expect(examples > 20)
    }
}
