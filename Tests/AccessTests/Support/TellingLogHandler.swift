import Logging

/// Calls whenever something is logged, on the thread that logs it.
struct TellingLogHandler: LogHandler {
    private let tell: @Sendable () -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(_ tell: @escaping @Sendable () -> Void) {
        self.tell = tell
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { tell() }
}
