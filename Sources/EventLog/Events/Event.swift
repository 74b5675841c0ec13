/// One immutable message, as the log committed it.
public struct Event: Hashable, Sendable {
    /// Unique in the log.
    public let id: EventID

    /// The topic it was posted on.
    public let topic: Topic

    /// The publisher's word for its kind; nil if it gave none.
    public internal(set) var type: String?

    /// The media type of the data; nil if the publisher gave none.
    public internal(set) var contentType: String?

    /// The data as posted.
    public let data: [UInt8]

    /// More that was kept with the event, as JSON that only the hub reads.
    public internal(set) var attributes: [UInt8]?

    /// When the log took it. Along the sequence this never steps back, unless the system's clock was set back by more
    /// than a minute.
    public let time: Timestamp

    /// The mark of who posted it; nil if there was none, and in every event that was read from the log, which does not
    /// store it.
    public internal(set) var origin: EventOrigin?

    /// Where in the sequence it is.
    public var position: Position { id.position }

    /// What it takes in memory, about, in bytes: data, attributes, and a fixed amount.
    public var cost: Int { data.count + (attributes?.count ?? 0) + 256 }
}
