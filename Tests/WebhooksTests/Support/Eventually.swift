import Testing

/// Waits until a condition holds; records an issue if it does not within the time.
func eventually(
    within limit: Duration = .seconds(60),
    _ what: Comment,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () -> Bool
) async throws {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while !condition() {
        guard clock.now < deadline else {
            Issue.record("not within \(limit): \(what)", sourceLocation: sourceLocation)
            return
        }
        try await clock.sleep(for: .milliseconds(2))
    }
}
