import EventLog

extension TopicPattern {
    /// The patterns of several texts.
    static func all(_ texts: [String]) throws(TopicError) -> [TopicPattern] {
        try texts.map(TopicPattern.init(_:))
    }
}
