package import EventLog

extension TopicPattern {
    /// `**`, which every topic matches.
    package static let everything = {
        guard let pattern = try? TopicPattern("**") else { preconditionFailure("`**` is a pattern") }
        return pattern
    }()
}
