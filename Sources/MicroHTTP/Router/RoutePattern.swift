/// The path of a route as it was added, such as `/topics/{topic}/events`: bounded in number whoever asks for what.
public struct RoutePattern: Hashable, Sendable {
    /// The path; routes that differ in their method only have the same.
    public let text: String

    /// Its place among ``Router/patterns``.
    public let number: Int
}
