/// A part of the sequence, as ``EventLog/read(after:matching:limit:byteLimit:)`` found it.
public struct EventPage: Sendable {
    /// The events that match, in sequence order.
    public let events: [Event]

    /// How far the page looked: every match after the asked position and up to this one is in ``events``. Go on reading
    /// from here, also if the page is empty. The page reached the end when this is the tail the log had at the time.
    public let scannedThrough: Position

    /// The newest position there was when the page was read.
    public let tail: Position

    /// The number of the newest removal, by retention or of a whole topic, that took events after the asked position
    /// which match; nil if none did. Removals are numbered as they happen, so a reader that has heard of this one knows
    /// whether more has gone since. Read from the same snapshot as the events.
    public let lastRemoval: Int64?

    /// Whether matching events after the asked position are gone.
    public var hasGap: Bool { lastRemoval != nil }

    /// Whether nothing was left to read.
    public var isLast: Bool { scannedThrough >= tail }
}
