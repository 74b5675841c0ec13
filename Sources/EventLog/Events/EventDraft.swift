/// An event that is to be: what a publisher hands to the log.
public struct EventDraft: Hashable, Sendable {
    /// The topic it is posted on.
    public var topic: Topic

    /// The publisher's word for its kind, such as `created`; nil if it gave none. A hub takes 1 to 128 characters without line
    /// breaks.
    public var type: String?

    /// The media type of the data; nil if the publisher gave none. A hub takes up to 255 bytes without control characters.
    public var contentType: String?

    /// The data, any bytes, possibly none.
    public var data: [UInt8]

    /// More that is kept with the event, as JSON that only the hub reads; nil if there is nothing more.
    public var attributes: [UInt8]?

    /// The mark of who posts it, for knowing it again; not stored.
    public var origin: EventOrigin?

    /// Under which this post may be repeated; nil if it may not.
    public var idempotencyKey: IdempotencyKey?

    /// A draft of those parts.
    public init(
        topic: Topic,
        type: String? = nil,
        contentType: String? = nil,
        data: [UInt8],
        attributes: [UInt8]? = nil,
        origin: EventOrigin? = nil,
        idempotencyKey: IdempotencyKey? = nil
    ) {
        (self.topic, self.type, self.contentType, self.data) = (topic, type, contentType, data)
        (self.attributes, self.origin, self.idempotencyKey) = (attributes, origin, idempotencyKey)
    }
}
