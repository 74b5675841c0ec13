/// Where and how the deliveries of one webhook go.
public struct Endpoint: Sendable, Hashable {
    /// How a request carries an event.
    ///
    /// Encoding is the store's, which hands out deliveries in the format of their endpoint.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// The body is the event's data as it was posted.
        case raw
        /// A CloudEvent whose attributes are headers; the body is its data.
        case cloudEventsBinary = "cloudevents-binary"
        /// A CloudEvent as one JSON document.
        case cloudEventsStructured = "cloudevents-structured"
    }

    /// What ``maxInFlight`` may be.
    public static let inFlightBounds = 1...1024

    /// The observer's id; the key of everything the dispatcher knows about it.
    public var id: String

    /// Where requests are sent.
    public var url: WebhookURL

    /// Headers sent with every request, in this order, after ours.
    public var headers: [CustomHeader] = []

    /// The secrets that sign.
    public var secrets: SigningSecrets

    /// How many attempts may be under way at once, within ``inFlightBounds``.
    public var maxInFlight: Int = 16

    /// Whether deliveries are attempted. While `false` they stay pending.
    public var isEnabled: Bool = true

    /// Whether deliveries are made one at a time, in sequence: a failing one holds the rest back.
    public var ordered: Bool = false

    /// The most attempts that begin per second, or `nil` for no limit. Must be greater than zero.
    public var ratePerSecond: Double?

    /// How a request carries an event.
    public var format: Format = .raw

    /// How often it was enabled again after it had been disabled: what began before says nothing about it any more.
    public var generation = 0
}

extension Endpoint {
    /// An endpoint that is delivered to, in no order.
    public init(id: String, url: WebhookURL, secrets: SigningSecrets) {
        self.init(id: id, url: url, headers: [], secrets: secrets)
    }
}
