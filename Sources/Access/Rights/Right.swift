/// What somebody may do with topics.
public enum Right: String, Sendable, CaseIterable {
    /// Post events and set values.
    case publish
    /// Hear events: streams, history, values.
    case subscribe
    /// Register, change and unregister observers, set bounds, delete.
    case manage
}
