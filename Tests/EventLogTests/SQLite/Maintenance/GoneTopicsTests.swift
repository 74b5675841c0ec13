import Testing

@testable import EventLog

/// A log that topics pass through does not become slower for those that are gone.
@Suite struct GoneTopicsTests {
    private let clock = ManualClock()

    private func log(at storage: SQLiteEventLog.Storage = .inMemory) throws -> SQLiteEventLog {
        var limits = SQLiteEventLog.Limits()
        limits.retention = Retention(age: 1_000)
        return try SQLiteEventLog(
            at: storage,
            durability: .process,
            limits: limits,
            clock: { [clock] in clock.now },
            elapsed: { [clock] in clock.elapsed }
        )
    }

    private func rows(_ log: SQLiteEventLog) async throws -> Int {
        try await log.read { reader in
            Int(try reader.db.compiled("SELECT count(*) FROM topic").first { $0.integer(0) } ?? 0)
        }
    }

    /// Lets topics come, and go because they are too old.
    private func pass(_ names: [String], through log: SQLiteEventLog) async throws {
        for start in stride(from: 0, to: names.count, by: 1_000) {
            _ = try await log.append(names[start..<min(start + 1_000, names.count)].map { .of($0) })
        }
        clock.now = clock.now.advanced(byMilliseconds: 60_000)
        try await log.settle()
    }

    @Test func `forty thousand topics come and go, and leave a thousand rows`() async throws {
        let directory = try TemporaryDirectory()
        let log = try log(at: .directory(directory.path))
        try await log.setRetention(Retention(age: 86_400_000), of: .of("zz"))
        _ = try await log.append([.of("zz")])
        func list() async throws -> Duration {
            let began = ContinuousClock.now
            for _ in 0..<20 { #expect(try await log.topics(prefix: "", after: nil, limit: 100).count == 1) }
            return ContinuousClock.now - began
        }
        var times: [Duration] = []
        for round in 0..<10 {
            try await pass((0..<4_000).map { "gone.\(round).\($0)" }, through: log)
            #expect(try await rows(log) <= LogTables.keptGoneTopics + 1)
            times.append(try await list())
        }
        // Forty times as many topics have gone as at first, of which as many rows are left.
        #expect(times[9] < times[0] * 8 + .milliseconds(100), "\(times)")
        await log.close()
        #expect(try SQLiteEventLog.check(directory: directory.path).findings == [])
    }

    @Test func `topics that only had bounds leave no rows either`() async throws {
        let log = try log()
        for number in 0..<3_000 {
            try await log.setRetention(Retention(events: 1), of: .of("t\(number)"))
            try await log.setRetention(nil, of: .of("t\(number)"))
        }
        try await log.settle()
        #expect(try await rows(log) <= LogTables.keptGoneTopics)
        await log.close()
    }

    @Test func `a reader from before is told that something is gone, also of a name that is not known any more`()
        async throws
    {
        let log = try log()
        func gap(after position: Int64, _ patterns: String...) async throws -> Bool {
            try await log.read(
                after: Position(position),
                matching: patterns.map(TopicPattern.of),
                limit: 10,
                byteLimit: .max
            ).hasGap
        }
        _ = try await log.append([.of("first"), .of("early.one")])
        try await pass((0..<3_000).map { "gone.\($0)" }, through: log)
        #expect(try await rows(log) <= LogTables.keptGoneTopics)
        // Position 1 was on a topic whose row is gone, too.
        #expect(try await gap(after: 0, "first"))
        #expect(try await gap(after: 0, "first", "other"))
        #expect(try await gap(after: 0, "*", "gone.**"))
        // None of the names that are known matches: each might have lost something.
        #expect(try await gap(after: 0, "early.*"))
        #expect(try await !gap(after: 3_002, "early.*"))
        #expect(try await !gap(after: 3_002, "first"))
        #expect(try await !gap(after: 3_002, "**"))
        // Those that are known: what is told of them is exact.
        let kept = try await log.read { reader in
            try reader.db.cached("SELECT name, removed FROM topic WHERE removed > 0 ORDER BY removed LIMIT 1")
                .first { (name: $0[0] as String, removed: $0.integer(1)) }
        }
        let (name, removed) = try #require(kept)
        #expect(try await !gap(after: removed, name))
        #expect(try await gap(after: removed - 1, name))
        // The name is used again: what it lost before is not forgotten with that.
        _ = try await log.append([.of("first", "again")])
        #expect(try await gap(after: 0, "first"))
        #expect(try await !gap(after: 3_002, "first"))
        #expect(try await log.texts("first") == ["again"])
        #expect(try await log.summary(of: .of("first"))?.events == 1)
        await log.close()
    }

    @Test func `a topic stays for as long as its idempotency keys`() async throws {
        let log = try log()
        var draft = EventDraft.of("keyed", "x")
        draft.idempotencyKey = IdempotencyKey("k", fingerprint: [1])
        let first = try await log.append([draft])
        try await pass((0..<3_000).map { "gone.\($0)" }, through: log)
        #expect(try await log.append([draft]) == first)
        clock.now = clock.now.advanced(byMilliseconds: IdempotencyKey.lifetime + 60_000)
        try await log.settle()
        try await pass((0..<3_000).map { "more.\($0)" }, through: log)
        #expect(try await rows(log) <= LogTables.keptGoneTopics)
        #expect(try await log.append([draft]) != first)
        await log.close()
    }
}
