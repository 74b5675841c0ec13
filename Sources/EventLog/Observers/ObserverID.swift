/// Names one observer: the client's own choice, or one that the hub made. The log takes any text.
public struct ObserverID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The text that it is stored as, and shown.
    public let rawValue: String

    /// An id of that text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Its text.
    public var description: String { rawValue }

    /// The order of their text.
    public static func < (left: ObserverID, right: ObserverID) -> Bool { left.rawValue < right.rawValue }
}
