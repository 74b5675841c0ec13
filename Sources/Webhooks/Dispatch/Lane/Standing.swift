/// What is known of whether an endpoint answers, the best first.
enum Standing: Hashable, CaseIterable {
    /// It did just now: within the last second.
    case prompt
    /// It did when it was asked last.
    case proven
    /// Nothing yet.
    case unknown
    /// It hangs, or takes long.
    case slow
}
