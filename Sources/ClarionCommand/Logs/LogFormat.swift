import Logging

/// How log lines are written.
enum LogFormat: String, CaseIterable {
    /// For people.
    case text
    /// A JSON object a line, for programs.
    case json

    /// A handler that writes to standard error.
    func handler(_ label: String) -> any LogHandler {
        switch self {
        case .text: StreamLogHandler(label: label, stream: TextLog())
        case .json: JSONLogHandler()
        }
    }
}
