import Logging

extension Logger {
    /// Tells nobody anything.
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
