/// From which origins web pages may use the hub, beside its own.
///
/// ```swift
/// configuration.allowedOrigins = AllowedOrigins([try Origin("https://app.example.com")])
/// ```
public struct AllowedOrigins: Sendable {
    /// None but the hub's own.
    public static let none = AllowedOrigins([])

    /// Those that are named. Their pages may send cookies, too.
    let named: Set<String>

    /// Whether those of any other origin may, without cookies.
    let takesAny: Bool

    /// - Parameters:
    ///   - named: exactly these.
    ///   - takesAny: whether the pages of any other may use the hub as well, but without what the browser knows its user
    ///     by.
    public init(_ named: [Origin], takesAny: Bool = false) {
        self.named = Set(named.map(\.text))
        self.takesAny = takesAny
    }

    func contains(_ origin: String) -> Bool { takesAny || named.contains(origin) }
}
