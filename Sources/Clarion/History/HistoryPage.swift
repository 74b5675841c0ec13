import EventLog
import MicroHTTP

/// A page of history in outline: where it ends. What it holds is kept only while it is little; the rest is read again
/// when it is written.
struct HistoryPage: Sendable {
    /// Where a page ends early, whatever its limit, in bytes as they are sent, attributes included.
    static let costLimit = 4 * 1024 * 1024

    /// The largest page that is answered whole, in bytes.
    static let smallest = 64 * 1024

    private let limit: Int
    private let format: HistoryFormat
    private(set) var count = 0
    private var cost = 0

    /// The last event of it; nil if it has none.
    private(set) var last: EventID?
    /// Whether there are events for which it has no room.
    private(set) var hasMore = false
    /// Its events as they are sent, as long as they are few bytes.
    private var encoded: [UInt8]? = []

    init(limit: Int, format: HistoryFormat) {
        self.limit = limit
        self.format = format
    }

    /// After which event the next page begins; nil if there is none.
    var next: EventID? { hasMore ? last : nil }

    /// The whole body, if it is small.
    var body: [UInt8]? {
        encoded.map { format.beginning + $0 + format.ending(next: next) }
    }

    /// Adds an event after those present, if there is room.
    mutating func add(_ event: Event) {
        guard count < limit, cost < Self.costLimit else {
            hasMore = true
            return
        }
        let attributes = event.attributes?.count ?? 0
        if encoded != nil, event.data.count <= Self.smallest {
            let before = encoded?.count ?? 0
            format.append(event, isFirst: count == 0, to: &encoded!)
            cost += (encoded?.count ?? 0) - before + attributes
            if encoded?.count ?? 0 > Self.smallest { encoded = nil }
        } else {
            encoded = nil
            cost += EventDocument.size(event) + attributes
        }
        count += 1
        last = event.id
    }
}
