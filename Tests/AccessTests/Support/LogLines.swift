import Locking
import Logging

/// Keeps how grave each line is.
final class LogLines: LogHandler, Sendable {
    private let told = Lock<[Logger.Level]>([])

    var levels: [Logger.Level] { told.withLock { $0 } }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) { told.withLock { $0.append(event.level) } }
}
