/// What must hold of a topic for an append to happen, checked in the same step as it: compare-and-set.
public enum AppendCondition: Hashable, Sendable {
    /// Its newest event is one of these.
    case newestIsOne(of: [EventID])
    /// Its newest event is none of these, or it has no event.
    case newestIsNone(of: [EventID])
    /// It has an event.
    case hasEvent
    /// It has no event.
    case hasNone
    /// All of these hold.
    case all([AppendCondition])

    /// The place of the first of ``all(_:)`` that does not hold, or 0 for a condition by itself; nil if it is met.
    func unmetPlace(byNewest newest: EventID?) -> Int? {
        switch self {
        case .newestIsOne(let ids): newest.map(ids.contains) == true ? nil : 0
        case .newestIsNone(let ids): newest.map(ids.contains) == true ? 0 : nil
        case .hasEvent: newest == nil ? 0 : nil
        case .hasNone: newest == nil ? nil : 0
        case .all(let parts): parts.firstIndex { $0.unmetPlace(byNewest: newest) != nil }
        }
    }
}
