import EventLog
import Testing

/// What retention promises, and what readers are told of what is gone.
@Suite("Conformance: retention") struct RetentionTests {
    private let clock = ManualClock()

    @Test(arguments: LogKind.all)
    func `the newest events are kept, up to the number of the topic or the default`(kind: LogKind) async throws {
        let log = try kind.make(LogKind.Settings(retention: Retention(events: 3)), clock: clock).log
        try await log.setRetention(Retention(events: 5), of: .of("own"))
        for number in 1...2_000 {
            try await log.append([.of("a", "\(number)"), .of("own", "\(number)")])
        }
        _ = try await log.eventuallyHas(3, "a")
        let own = try await log.eventuallyHas(5, "own")
        #expect(try await log.texts("a") == ["1998", "1999", "2000"])
        #expect(try await log.texts("own") == (1996...2000).map { "\($0)" })
        #expect(own.bytes == 20)
        #expect(own.last?.position.rawValue == 4_000)
        #expect(own.first?.position.rawValue == 3_992)
    }

    @Test(arguments: LogKind.all)
    func `bytes of data are bounded, but the newest event stays however large it is`(kind: LogKind) async throws {
        let log = try kind.make(LogKind.Settings(retention: Retention(bytes: 10)), clock: clock).log
        for text in ["1234", "5678", "90"] { try await log.append([.of("a", text)]) }
        #expect(try await log.eventuallyHas(3, "a").bytes == 10)
        try await log.append([.of("a", "x")])
        _ = try await log.eventuallyHas(3, "a")
        #expect(try await log.texts("a") == ["5678", "90", "x"])
        try await log.append([.of("a", "much too large")])
        _ = try await log.eventuallyHas(1, "a")
        #expect(try await log.texts("**") == ["much too large"])
    }

    @Test(arguments: LogKind.all)
    func `removing keeps up with posts that never cease`(kind: LogKind) async throws {
        let log = try kind.make(LogKind.Settings(retention: Retention(events: 100)), clock: clock).log
        let most = try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask { for _ in 0..<300 { try await log.append([.of("a"), .of("b")]) } }
            }
            var most: Int64 = 0
            while log.tail.rawValue < 64 * 300 * 2 {
                most = max(most, try await log.summary(of: .of("a"))?.events ?? 0)
            }
            try await group.waitForAll()
            return most
        }
        // The bound, what presses not yet, and what is written between two steps.
        #expect(most < 100 + 16 + 2 * 1_024, "\(most) events at once")
        _ = try await log.eventuallyHas(100, "a")
        _ = try await log.eventuallyHas(100, "b")
    }

    @Test(arguments: LogKind.all)
    func `a large backlog holds up neither posts nor other topics`(kind: LogKind) async throws {
        let log = try kind.make(clock: clock).log
        try await log.append((0..<20_000).map { .of("large", "\($0)") })
        try await log.append((0..<40).map { .of("small", "\($0)") })
        try await log.setRetention(Retention(events: 1), of: .of("large"))
        try await log.setRetention(Retention(events: 1), of: .of("small"))
        _ = try await log.eventuallyHas(1, "small")
        #expect(try #require(try await log.summary(of: .of("large"))).events > 1, "in turn, not one after the other")
        _ = try await log.eventuallyHas(1, "large")
    }

    @Test(arguments: LogKind.all)
    func `bounds that are set later are applied to what is there`(kind: LogKind) async throws {
        let log = try kind.make(clock: clock).log
        for number in 1...1_000 { try await log.append([.of("a", "\(number)")]) }
        try await log.setRetention(Retention(events: 10), of: .of("a"))
        _ = try await log.eventuallyHas(10, "a")
        try await log.setRetention(nil, of: .of("a"))
        for _ in 0..<50 { try await log.append([.of("a")]) }
        #expect(try await log.summary(of: .of("a"))?.events == 60)
    }

    @Test(arguments: LogKind.all)
    func `a page says whether events before it are gone`(kind: LogKind) async throws {
        let log = try kind.make(LogKind.Settings(retention: Retention(events: 2)), clock: clock).log
        for number in 1...6 { try await log.append([.of("a", "\(number)"), .of("b.c", "\(number)")]) }
        _ = try await log.eventuallyHas(2, "a")
        _ = try await log.eventuallyHas(2, "b.c")
        try await log.append([.of("whole")])
        func gap(after position: Int64, _ patterns: String...) async throws -> Bool {
            try await log.read(
                after: Position(position),
                matching: patterns.map(TopicPattern.of),
                limit: 10,
                byteLimit: .max
            ).hasGap
        }
        // "a" has 9 and 11, "b.c" has 10 and 12.
        #expect(try await gap(after: 0, "a"))
        #expect(try await gap(after: 6, "a"))
        #expect(try await !gap(after: 7, "a"))
        #expect(try await gap(after: 7, "a", "b.c"))
        #expect(try await gap(after: 7, "b.*"))
        #expect(try await !gap(after: 8, "**"))
        #expect(try await !gap(after: 0, "whole"))
        #expect(try await !gap(after: 0, "whole", "whole.**"))
    }

    @Test(arguments: LogKind.all)
    func `a gap is found also where an older event went later`(kind: LogKind) async throws {
        let log = try kind.make(clock: clock).log
        try await log.append((1...6).map { .of($0.isMultiple(of: 2) ? "even" : "odd", "\($0)") })
        func gap(after position: Int64, _ pattern: String) async throws -> Bool {
            try await log.read(after: Position(position), matching: [.of(pattern)], limit: 9, byteLimit: .max).hasGap
        }
        try await log.setRetention(Retention(events: 1), of: .of("even"))
        _ = try await log.eventuallyHas(1, "even")
        // 2 and 4 are gone.
        #expect(try await !gap(after: 0, "odd.*"))
        #expect(try await !gap(after: 0, "*.*"))
        #expect(try await gap(after: 3, "*"))
        #expect(try await !gap(after: 4, "*"))
        try await log.setRetention(Retention(events: 2), of: .of("odd"))
        _ = try await log.eventuallyHas(2, "odd")
        // 1 is gone, too, after positions that are greater.
        #expect(try await gap(after: 0, "*"))
        #expect(try await gap(after: 0, "odd"))
        #expect(try await !gap(after: 1, "odd"))
        #expect(try await !gap(after: 0, "*.*"))
        try await log.append([.of("x.y")])
        #expect(try await log.deleteTopic(.of("x.y")))
        #expect(try await gap(after: 0, "*.*"))
        #expect(try await gap(after: 6, "*.*"))
        #expect(try await !gap(after: 7, "*.*"))
        #expect(try await gap(after: 0, "*.*"), "also when it is asked for again")
    }

    @Test(arguments: LogKind.all)
    func `removals are numbered, so that a reader knows whether more has gone`(kind: LogKind) async throws {
        let log = try kind.make(LogKind.Settings(retention: Retention(events: 2)), clock: clock).log
        func removal(after position: Int64, _ patterns: String...) async throws -> Int64? {
            try await log.read(
                after: Position(position),
                matching: patterns.map(TopicPattern.of),
                limit: 10,
                byteLimit: .max
            ).lastRemoval
        }
        func fill(_ topic: String) async throws {
            for number in 1...3 { try await log.append([.of(topic, "\(number)")]) }
            _ = try await log.eventuallyHas(2, topic)
        }
        try await fill("a")
        try await fill("b.c")
        // "a" has lost 1, "b.c" has lost 4.
        let (a, b) = (try await removal(after: 0, "a"), try await removal(after: 0, "b.c"))
        let first = try #require(a)
        let second = try #require(b)
        #expect(first < second)
        for patterns in [["a", "b.c"], ["*", "b.**"]] {
            let page = try await log.read(
                after: .start,
                matching: patterns.map(TopicPattern.of),
                limit: 1,
                byteLimit: .max
            )
            #expect(page.lastRemoval == second)
        }
        #expect(try await removal(after: 1, "a") == nil)
        #expect(try await removal(after: 1, "**") == second)
        // Something else loses events: nothing new for who does not read it.
        try await fill("other")
        #expect(try await removal(after: 1, "a", "b.c") == second)
        #expect(try await removal(after: 1, "b.*") == second)
        try await log.append([.of("a")])
        _ = try await log.eventuallyHas(2, "a")
        let third = try #require(try await removal(after: 1, "a", "b.c"))
        #expect(third > second)
        #expect(try await log.deleteTopic(.of("b.c")))
        let fourth = try #require(try await removal(after: 0, "b.c"))
        #expect(fourth > third)
        // Taking away only its bounds takes no events.
        try await log.setRetention(Retention(events: 1), of: .of("b.c"))
        #expect(try await log.deleteTopic(.of("b.c")))
        #expect(try await removal(after: 0, "b.c") == fourth)
    }
}
