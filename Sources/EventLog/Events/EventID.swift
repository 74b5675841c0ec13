import Notation

/// The id of an event: opaque to everyone but the log that made it, unique in that log, and never used twice.
///
/// Its text is `<epoch>-<position>`, at most 32 ASCII characters of `[0-9a-z-]`. It has no dot, because it is also the
/// `webhook-id` of Standard Webhooks, which is signed as `id.timestamp.body`.
public struct EventID: Hashable, Sendable, CustomStringConvertible {
    /// The log that the event is of.
    public let epoch: LogEpoch

    /// Where in that log it is.
    public let position: Position

    /// The id of the event at a position; position ``Position/start`` names the place before the first event.
    public init(epoch: LogEpoch, position: Position) { (self.epoch, self.position) = (epoch, position) }

    /// Reads the text of ``description``; nil for any other, also for another spelling of the same number.
    public init?(_ text: some StringProtocol) {
        guard let hyphen = text.utf8.firstIndex(of: UInt8(ascii: "-")), let epoch = LogEpoch(text[..<hyphen]) else {
            return nil
        }
        let digits = text[text.index(after: hyphen)...]
        guard let number = Int64(digits), number >= 0, String(number) == digits else { return nil }
        self.init(epoch: epoch, position: Position(number))
    }

    /// The text of the id.
    public var description: String { text.string }

    /// Appends the text of the id, without making a string of it: for the encoders that run for every event.
    public func write(to bytes: inout [UInt8]) { text.write(to: &bytes) }

    private var text: ShortText {
        var text = ShortText()
        epoch.write(to: &text)
        text.append(UInt8(ascii: "-"))
        text.appendDecimal(UInt64(position.rawValue.magnitude))
        return text
    }
}
