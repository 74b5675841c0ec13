import EventLog

extension TopicPattern {
    /// The patterns of several texts.
    static func all(_ texts: [String]) throws(TopicError) -> [TopicPattern] {
        var patterns: [TopicPattern] = []
        for text in texts { patterns.append(try TopicPattern(text)) }
        return patterns
    }
}
