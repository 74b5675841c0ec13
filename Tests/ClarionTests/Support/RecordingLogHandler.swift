import Logging

/// Keeps the messages that are warnings or worse.
struct RecordingLogHandler: LogHandler {
    let messages: Recorder<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.warning

    init(messages: Recorder<String>) {
        self.messages = messages
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        messages.add("\(event.message)")
    }
}
