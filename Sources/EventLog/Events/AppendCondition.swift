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
        guard case .all(let parts) = self else { return isMet(byNewest: newest) ? nil : 0 }
        return parts.firstIndex { !$0.isMet(byNewest: newest) }
    }

    private func isMet(byNewest newest: EventID?) -> Bool {
        switch self {
        case .newestIsOne(let ids): newest.map(ids.contains) ?? false
        case .newestIsNone(let ids): newest.map { !ids.contains($0) } ?? true
        case .hasEvent: newest != nil
        case .hasNone: newest == nil
        case .all(let parts): parts.allSatisfy { $0.isMet(byNewest: newest) }
        }
    }
}
