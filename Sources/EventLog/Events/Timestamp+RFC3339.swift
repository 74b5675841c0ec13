import Notation

extension Timestamp {
    /// The moment in UTC with milliseconds, such as `2026-11-20T23:19:00.123Z`.
    public var rfc3339: String { RFC3339.text(of: milliseconds) }

    /// Appends the text of ``rfc3339``, without making a string of it: for the encoders that run for every event.
    public func writeRFC3339(to bytes: inout [UInt8]) { RFC3339.write(milliseconds, to: &bytes) }

    /// Reads a time of RFC 3339, section 5.6, with any offset and any number of decimals; what is finer than a
    /// millisecond is cut off, and a leap second is the second after. Nil if the text is none, or no such day exists.
    public init?(rfc3339 text: some StringProtocol) {
        guard let milliseconds = RFC3339.moment(of: text) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}
