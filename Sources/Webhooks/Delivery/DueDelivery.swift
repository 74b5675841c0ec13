/// One event on its way to one endpoint, as the store hands it out.
package struct DueDelivery: Sendable {
    /// The store's key. Unique per endpoint, and lower for an earlier event.
    package var id: Int64

    /// The event's id: the `webhook-id` header, the same on every attempt. Contains no dot.
    package var eventID: String

    /// The topic the event was posted to.
    package var topic: String

    /// The event's type, if it has one.
    package var type: String?

    /// The content type of ``body``, if it has one.
    package var contentType: String?

    /// What is sent and signed: the event in its endpoint's format.
    package var body: [UInt8]

    /// Further headers that the format asks for. Names are tokens; control bytes in values are percent-encoded.
    package var headers: [(name: String, value: String)] = []

    /// How often the delivery was renewed by hand; its outcomes say so.
    package var renewals: Int64 = 0

    /// How many attempts have been made since.
    package var attempts: Int = 0

    /// The `traceparent` of the post (W3C Trace Context), if it carried one: each attempt is a step of its own after it.
    package var traceparent: String?

    /// How many deliveries of hubs the event will have gone through with this one: the `Clarion-Hop` header.
    package var hops: Int = 1

    /// When it is due, by ``DeliveryStore/now``: how a failing head of endpoints that are ``Endpoint/ordered`` is still
    /// waited for after a restart, and how long a retry has waited. 0 means at once.
    package var notBefore: Int64 = 0

    /// When the event was committed, in milliseconds since 1970; nil if that is not known.
    package var committedAt: Int64?

    /// What the store reads for it, in bytes, which may be more than is sent.
    package var storedBytes = 0

    /// What is sent of it, in bytes, but for what every delivery has.
    var size: Int { headers.reduce(body.count) { $0 + $1.name.utf8.count + $1.value.utf8.count } }

    /// What it takes while it is here, in bytes: also one that is empty takes some.
    var cost: Int { max(size, storedBytes) + 512 }

    /// The most that a hub lets pass: an event that has gone through more goes in a circle.
    package static let mostHops = 8
}

extension DueDelivery {
    /// A first attempt, due at once.
    package init(id: Int64, eventID: String, topic: String, body: [UInt8]) {
        self.init(id: id, eventID: eventID, topic: topic, type: nil, body: body)
    }
}
