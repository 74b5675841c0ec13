public import EventLog

/// So that tests can say in a word which observer they mean.
extension ObserverID: ExpressibleByStringInterpolation {
    /// The observer of that name.
    public init(stringLiteral text: String) {
        self.init(rawValue: text)
    }
}
