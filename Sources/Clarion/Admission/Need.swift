import Access
import EventLog
import MicroHTTP

/// What a route needs of who asks. Every route names one.
struct Need: Sendable {
    /// Nothing: no credential is looked at.
    static let nothing = Need("nothing", "Nobody is asked who they are.", nil)

    /// Posting on the path's topic.
    static let publish = Need("publish", "Needs the right `publish` on the topic.", takesDeliveries: true) {
        request,
        caller throws(Problem) in
        // The handler reads the topic, too: who may post everywhere need not have it read twice.
        if caller.grant.allowsEverything(.publish) { return }
        let topic: Topic = try request.parameter("topic")
        try caller.require(.publish, on: topic)
    }

    /// Hearing the path's topic or pattern.
    static let subscribe = ofPath(.subscribe)

    /// Managing the path's topic or pattern.
    static let manage = ofPath(.manage)

    private static func ofPath(_ right: Right) -> Need {
        Need(right.rawValue, "Needs the right `\(right.rawValue)` on the topic or pattern.") {
            request,
            caller throws(Problem) in
            let pattern: TopicPattern = try request.parameter("topic")
            try caller.require(right, on: pattern)
        }
    }

    /// Seeing the path's topic: who hears it may, and who manages it.
    static let see = Need("see", "Needs the right `subscribe` or `manage` on the topic.") {
        request,
        caller throws(Problem) in
        let topic: Topic = try request.parameter("topic")
        if !caller.grant.allows(.manage, on: topic) { try caller.require(.subscribe, on: topic) }
    }

    /// Hearing something; the handler looks at what.
    static let subscribeSomewhere = Need("subscribeSomewhere", "Needs the right `subscribe` on what is asked for.") {
        request,
        caller throws(Problem) in
        try caller.requireSome(.subscribe, on: request.target.query.values(of: "topic").first)
    }

    /// Managing something; the handler looks at what.
    static let manageSomewhere = Need("manageSomewhere", "Needs the right `manage` on the topics of the observer.") {
        _,
        caller throws(Problem) in
        try caller.requireSome(.manage)
    }

    /// Managing everything there is.
    static let manageEverything = Need("manageEverything", "Needs the right `manage` on `**`.") {
        _,
        caller throws(Problem) in
        if !caller.grant.allowsEverything(.manage) { throw caller.lacks(.manage, on: "**") }
    }

    /// What a route of the program's own needs: a right on a pattern, whatever the path, or nothing.
    static func ofOwnRoute(_ right: Right?, on pattern: TopicPattern) -> Need {
        guard let right else { return Need("nothing", nothing.summary, takesDeliveries: true, nil) }
        return Need(
            "holding",
            "Needs the right `\(right.rawValue)` on `\(pattern.text)`.",
            takesDeliveries: true
        ) { _, caller throws(Problem) in try caller.require(right, on: pattern) }
    }

    /// Its name in descriptions of the routes.
    let name: String

    /// It in a sentence, as Markdown that has code.
    let summary: String

    /// Nil if nobody is looked at.
    let check: (@Sendable (Request, Caller) throws(Problem) -> Void)?

    /// Whether a webhook may lead here: what is posted upon it must count how often the event went round.
    let takesDeliveries: Bool

    private init(
        _ name: String,
        _ summary: String,
        takesDeliveries: Bool = false,
        _ check: (@Sendable (Request, Caller) throws(Problem) -> Void)?
    ) {
        self.name = name
        self.summary = summary
        self.takesDeliveries = takesDeliveries
        self.check = check
    }
}
