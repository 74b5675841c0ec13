import Testing

@testable import EventLog

extension SQLiteEventLog {
    /// Waits until no maintenance is due: it happens in steps after the commits.
    func settle(within limit: Duration = .seconds(60)) async throws {
        let deadline = ContinuousClock.now + limit
        while true {
            // A change is a commit, too, but writes no rows.
            let isDue = try await change { tables in
                tables.schedule.isDue(at: tables.time.placed ?? tables.time.clock.timeOfDay())
                    || !tables.topics.additions.isEmpty
            }
            if !isDue { return }
            guard ContinuousClock.now < deadline else {
                Issue.record("the log did not come to rest")
                return
            }
            // Longer than the writer waits for more posts.
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
