import ArgumentParser
import Spelling

/// A word that stands where a command's name is to be, and is none.
enum UnknownCommand {
    /// What is wrong with it, and which command was meant; nil if there is none before the first option. What follows that is
    /// the parser's, who says of any such word that it was not expected.
    static func reason(in arguments: ArraySlice<String>, of root: any ParsableCommand.Type) -> String? {
        var commands = root.configuration.subcommands
        var path = root.name
        for word in arguments {
            guard !commands.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            guard let command = commands.first(where: { $0.name == word }) else {
                let advice = Spelling.nearest(to: word, among: commands.map { $0.name }).map { "Did you mean \($0)? " }
                return "\(word): there is no such command. \(advice ?? "")\"\(path) --help\" lists them."
            }
            commands = command.configuration.subcommands
            path += " \(word)"
        }
        return nil
    }
}

extension ParsableCommand {
    fileprivate static var name: String { configuration.commandName ?? "\(Self.self)".lowercased() }
}
