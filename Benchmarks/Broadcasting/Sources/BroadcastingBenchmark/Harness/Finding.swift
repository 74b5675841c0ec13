import Foundation

/// One line of the table.
struct Finding: Codable {
    /// What was measured.
    let row: String
    /// How many observers were registered.
    var observers: Int?
    /// What it was measured of.
    let name: String
    /// Nanoseconds for one operation.
    var median: Double?
    var least: Double?
    /// How many times the floor's time it took.
    var timesFloor: Double?
    /// How many times longer NotificationCenter took.
    var timesFaster: Double?
    /// What else there is to say.
    var remark: String?
    var goals: [Goal] = []
}

/// What was to be reached.
struct Goal: Codable {
    let demand: String
    let isMet: Bool

    static func atMost(_ limit: Double, timesFloor times: Double) -> Goal {
        Goal(demand: "≤ \(limit.formatted()) × floor", isMet: times <= limit)
    }

    static func atLeast(_ limit: Double, timesFaster times: Double) -> Goal {
        Goal(demand: "≥ \(limit.formatted()) × faster than NotificationCenter", isMet: times >= limit)
    }
}

extension Finding {
    init(_ row: String, observers: Int? = nil, _ timing: Timing, floor: Timing? = nil, center: Timing? = nil) {
        self.row = row
        self.observers = observers
        name = timing.name
        median = timing.median
        least = timing.least
        timesFloor = floor.map { timing.ratio(to: $0) }
        timesFaster = center.map { $0.ratio(to: timing) }
    }
}
