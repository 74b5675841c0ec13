public import EventLog

/// Where a program begins to read: the places that `?since=`, `?last=` and `Last-Event-ID` name over HTTP.
public enum HistoryStart: Hashable, Sendable {
    /// With what comes next: what is posted once the iterator is made, or the object registered.
    case latest
    /// With the oldest event that is retained.
    case earliest
    /// After an event that was read before: a program that keeps its id goes on from where it was.
    case after(EventID)
    /// With the first event at or after a moment.
    case since(Timestamp)
    /// With the newest events, so many, at least 1. Who goes on hearing hears all that comes after beginning, too, if that is
    /// more.
    case newest(Int)

    var beginning: StreamBeginning {
        switch self {
        case .latest: .since(.latest)
        case .earliest: .since(.earliest)
        case .after(let id): .after(id.description)
        case .since(let moment): .since(.moment(moment))
        case .newest(let count): .since(.newest(max(count, 1)))
        }
    }
}

/// History that was to be read, and is gone.
public struct HistoryGap: Hashable, Sendable {
    /// The id after which events are missing.
    public let after: String

    /// Why.
    public let reason: GapReason
}
