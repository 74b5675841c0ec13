/// How it stands with reading an endpoint's deliveries.
enum Reading: Equatable {
    /// All that the store has due is here.
    case idle
    /// It may have more; the lane takes its turn once it has room for it.
    case wanted
    /// The lane waits for its turn.
    case queued
    /// The store is being read; what it has by now may be more than it says.
    case underWay(isStale: Bool)

    var isUnderWay: Bool { if case .underWay = self { true } else { false } }

    /// The store may have more.
    mutating func want() {
        switch self {
        case .idle: self = .wanted
        case .underWay: self = .underWay(isStale: true)
        case .wanted, .queued: break
        }
    }

    mutating func end() {
        self = self == .underWay(isStale: true) ? .wanted : .idle
    }
}
