/// What must hold of a topic for an append to happen, checked in the same step as it: compare-and-set.
public enum AppendCondition: Hashable, Sendable {
    /// Its newest event is one of these.
    case newestIsOne(of: [EventID])
    /// It has an event.
    case hasEvent
    /// It has no event.
    case hasNone

    func isMet(byNewest newest: EventID?) -> Bool {
        switch self {
        case .newestIsOne(let ids): newest.map(ids.contains) ?? false
        case .hasEvent: newest != nil
        case .hasNone: newest == nil
        }
    }
}
