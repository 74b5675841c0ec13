import Testing

/// Waits for a condition, with a deadline.
func eventually(
    within limit: Duration = .seconds(10),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        try #require(
            ContinuousClock.now < deadline,
            "the condition did not come true in time",
            sourceLocation: sourceLocation
        )
        await Task.yield()
    }
}
