/// Where and how the deliveries of one webhook go.
package struct Endpoint: Sendable, Hashable {
    /// How a request carries an event.
    ///
    /// Encoding is the store's, which hands out deliveries in the format of their endpoint.
    package enum Format: String, Sendable, Hashable, CaseIterable {
        /// The body is the event's data as it was posted.
        case raw
        /// A CloudEvent whose attributes are headers; the body is its data.
        case cloudEventsBinary = "cloudevents-binary"
        /// A CloudEvent as one JSON document.
        case cloudEventsStructured = "cloudevents-structured"
    }

    package static let inFlightBounds = 1...1024

    /// The observer's id; the key of everything the dispatcher knows about it.
    package var id: String

    package var url: WebhookURL

    /// Headers sent with every request, in this order, after ours.
    package var headers: [CustomHeader] = []

    package var secrets: SigningSecrets

    /// How many attempts may be under way at once, within ``inFlightBounds``.
    package var maxInFlight: Int = 16

    /// Whether deliveries are attempted. While `false` they stay pending.
    package var isEnabled: Bool = true

    /// Whether deliveries are made one at a time, in sequence: a failing one holds the rest back.
    package var ordered: Bool = false

    /// The most attempts that begin per second, or `nil` for no limit. Must be greater than zero.
    package var ratePerSecond: Double?

    package var format: Format = .raw

    /// How often it was enabled again after it had been disabled: what began before says nothing about it any more.
    package var generation = 0

    /// Who has registered it: owners take turns, however many endpoints each has. Nil is an owner like any other.
    package var owner: String?
}

extension Endpoint {
    /// An endpoint that is delivered to, in no order.
    package init(id: String, url: WebhookURL, secrets: SigningSecrets) {
        self.init(id: id, url: url, headers: [], secrets: secrets)
    }
}
