import Access
import EventLog
import MicroHTTP

/// What a route needs of who asks. Every route names one.
struct Need: Sendable {
    /// Nothing: no credential is looked at.
    static let nothing = Need(nil)

    /// Posting on the path's topic.
    static let publish = Need(takesDeliveries: true) { request, caller throws(Problem) in
        let topic: Topic = try request.parameter("topic")
        try caller.require(.publish, on: topic)
    }

    /// Hearing the path's topic or pattern.
    static let subscribe = Need { request, caller throws(Problem) in
        let pattern: TopicPattern = try request.parameter("topic")
        try caller.require(.subscribe, on: pattern)
    }

    /// Managing the path's topic or pattern.
    static let manage = Need { request, caller throws(Problem) in
        let pattern: TopicPattern = try request.parameter("topic")
        try caller.require(.manage, on: pattern)
    }

    /// Seeing the path's topic: who hears it may, and who manages it.
    static let see = Need { request, caller throws(Problem) in
        let topic: Topic = try request.parameter("topic")
        if !caller.grant.allows(.manage, on: topic) { try caller.require(.subscribe, on: topic) }
    }

    /// Hearing something; the handler looks at what.
    static let subscribeSomewhere = Need { _, caller throws(Problem) in try caller.requireSome(.subscribe) }

    /// Managing something; the handler looks at what.
    static let manageSomewhere = Need { _, caller throws(Problem) in try caller.requireSome(.manage) }

    /// Managing everything there is.
    static let manageEverything = Need { _, caller throws(Problem) in
        if !caller.grant.allowsEverything(.manage) { throw caller.lacks(.manage, on: "**") }
    }

    /// Nil if nobody is looked at.
    let check: (@Sendable (Request, Caller) throws(Problem) -> Void)?

    /// Whether a webhook may lead here: what it changes must count how often the event went round.
    let takesDeliveries: Bool

    private init(takesDeliveries: Bool = false, _ check: (@Sendable (Request, Caller) throws(Problem) -> Void)?) {
        self.takesDeliveries = takesDeliveries
        self.check = check
    }
}
