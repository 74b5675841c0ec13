/// A webhook as a program registers it; the members are those of `PUT /observers/{id}` (docs/http-api.md), with its defaults
/// where nothing is given.
public struct WebhookSettings: Encodable, Sendable {
    /// What the body of a delivery is.
    public enum Format: String, Encodable, CaseIterable, Sendable {
        /// The event's data as it was posted.
        case raw
        /// The data, beside a CloudEvent's attributes in fields.
        case cloudEventsBinary = "cloudevents-binary"
        /// A CloudEvent as one JSON document.
        case cloudEventsStructured = "cloudevents-structured"
    }

    /// Where deliveries are sent: `https`, or `http` where that is allowed.
    public var url: String
    /// The topics and patterns, 1 to 100.
    public var topics: [String]
    /// Only events of these types; of all if there are none.
    public var types: [String]?
    /// What the body is, ``Format/raw`` by default.
    public var format: Format?
    /// Further fields of every delivery.
    public var headers: [String: String]?
    /// Words for people, at most 1,024 bytes.
    public var description: String?
    /// Whether an event waits until the one before it was delivered; false by default.
    public var ordered: Bool?
    /// The most deliveries under way at once, 16 by default.
    public var maxInFlight: Int?
    /// The most deliveries a second; as many as the endpoint takes if nil.
    public var ratePerSecond: Double?
    /// Whether it is delivered to; what comes meanwhile waits. True by default.
    public var enabled: Bool?
    /// Whether the endpoint is asked for its consent before anything is delivered to it; false by default.
    public var handshake: Bool?
    /// A secret of one's own; otherwise the hub makes one, and says it once.
    public var secret: String?

    /// Settings with the hub's defaults.
    public init(url: String, topics: [String]) {
        self.url = url
        self.topics = topics
    }
}

/// A webhook as the hub has it.
public struct RegisteredWebhook: Decodable, Sendable {
    /// Whether it is delivered to.
    public enum State: String, Decodable, Sendable {
        /// It is.
        case active
        /// What comes is kept for it.
        case paused
        /// It gets nothing until it is enabled.
        case disabled
    }

    /// What became of its deliveries.
    public struct Stats: Decodable, Sendable {
        /// How many wait, how many were delivered, how many attempts failed, and how many deliveries were given up.
        public let pending, delivered, failed, deadLetters: Int
    }

    /// Its name in the hub.
    public let id: String
    /// Where deliveries are sent; nil for one whose settings cannot be read.
    public let url: String?
    /// The topics and patterns.
    public let topics: [String]
    /// Whether it is delivered to.
    public let state: State
    /// Why it is disabled, such as `gone`; nil if it is not.
    public let reason: String?
    /// What verifies its deliveries; only in the answer to the call that made it.
    public let secret: String?
    /// What became of its deliveries.
    public let stats: Stats
}
