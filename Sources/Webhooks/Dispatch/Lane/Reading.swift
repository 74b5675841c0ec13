/// How it stands with reading an endpoint's deliveries.
enum Reading: Equatable {
    /// All that the store has due is here.
    case idle
    /// It may have more; the lane takes its turn once it has space for it.
    case wanted
    /// The lane waits for its turn, and for what it needs beside it.
    case queued(Need)
    /// The store is being read.
    case underWay(Validity)

    /// What must be so before a lane reads whose turn it is.
    enum Need: Int, CaseIterable {
        /// Nothing: it has no deliveries here, and has proved that it answers.
        case nothing
        /// That what is read ahead is not far beyond the budget: it has none here, but has yet to answer. However many such
        /// there are, they do not read one each.
        case nearness
        /// That what is read ahead is within the budget: it has some here.
        case budget

        /// The one after it, and the first after the last.
        var next: Need { Need(rawValue: rawValue + 1) ?? .nothing }
    }

    /// What is known by now of what is being read.
    enum Validity {
        case current
        /// The store may have more.
        case stale
        /// What is due, its order or its format has changed: it is not to be sent.
        case void
    }

    var isQueued: Bool { if case .queued = self { true } else { false } }

    var isUnderWay: Bool { if case .underWay = self { true } else { false } }

    /// The store may have more. Returns whether that is news.
    @discardableResult
    mutating func want() -> Bool {
        switch self {
        case .idle: self = .wanted
        case .underWay(.current): self = .underWay(.stale)
        case .wanted, .queued, .underWay: return false
        }
        return true
    }

    /// What was read is to be read again.
    mutating func restart() {
        if isUnderWay { self = .underWay(.void) } else { want() }
    }

    mutating func end() { self = self == .underWay(.current) ? .idle : .wanted }
}
