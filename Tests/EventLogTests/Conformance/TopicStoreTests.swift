import EventLog
import Testing

/// What is promised of topics.
@Suite("Conformance: topics") struct TopicStoreTests {
    @Test(arguments: LogKind.all)
    func `topics are listed in the order of their names, by prefix and by page`(kind: LogKind) async throws {
        let log = try kind.make().log
        for name in ["b", "a.x", "a", "ä", "a.y", "aa", "%", "a_"] { try await log.append([.of(name), .of(name)]) }
        func names(_ prefix: String, after: String? = nil, limit: Int = 100) async throws -> [String] {
            try await log.topics(prefix: prefix, after: after, limit: limit).map(\.topic.name)
        }
        #expect(try await names("") == ["%", "a", "a.x", "a.y", "a_", "aa", "b", "ä"])
        #expect(try await names("a") == ["a", "a.x", "a.y", "a_", "aa"])
        #expect(try await names("a.") == ["a.x", "a.y"])
        #expect(try await names("ä") == ["ä"])
        #expect(try await names("a", after: "a.x", limit: 2) == ["a.y", "a_"])
        #expect(try await names("none").isEmpty)
        #expect(try await names("a", after: "%") == ["a", "a.x", "a.y", "a_", "aa"])
        #expect(try await names("a", after: "aa").isEmpty)
    }

    @Test(arguments: LogKind.all)
    func `a prefix may end in any character`(kind: LogKind) async throws {
        let log = try kind.make().log
        let names = [
            "a\u{D7FF}", "a\u{D7FF}b", "a\u{E000}", "a\u{10FFFF}", "a\u{10FFFF}b", "b", "\u{10FFFF}", "\u{10FFFF}x",
        ]
        for name in names { try await log.append([.of(name)]) }
        for prefix in ["a\u{D7FF}", "a\u{E000}", "a\u{10FFFF}", "\u{10FFFF}", "a", "b"] {
            let expected = names.filter { $0.utf8.starts(with: prefix.utf8) }
            #expect(try await log.topics(prefix: prefix, after: nil, limit: 9).map(\.topic.name) == expected)
        }
    }

    @Test(arguments: LogKind.all)
    func `a summary counts what there is`(kind: LogKind) async throws {
        let log = try kind.make().log
        let events = try await log.append([.of("a", "12"), .of("b"), .of("a", "345")])
        let summary = try #require(try await log.summary(of: .of("a")))
        #expect(summary.events == 2)
        #expect(summary.bytes == 5)
        #expect(summary.first == events[0].id)
        #expect(summary.last == events[2].id)
        #expect(summary.retention == nil)
        #expect(try await log.summary(of: .of("none")) == nil)
    }

    @Test(arguments: LogKind.all)
    func `bounds make a topic known before it has events`(kind: LogKind) async throws {
        let log = try kind.make().log
        try await log.setRetention(Retention(events: 5, age: 1_000), of: .of("a"))
        let summary = try #require(try await log.summary(of: .of("a")))
        #expect(summary.retention == Retention(events: 5, age: 1_000))
        #expect(summary.first == nil)
        try await log.setRetention(nil, of: .of("a"))
        #expect(try await log.summary(of: .of("a")) == nil)
    }

    @Test(arguments: LogKind.all)
    func `of several who expect the same of a topic one finds it so`(kind: LogKind) async throws {
        let log = try kind.make().log
        func set(_ events: Int64?, _ topic: Topic, expecting isThere: Bool) async -> EventLogError.Code? {
            do {
                let retention = events.map { Retention(events: $0) }
                try await log.setRetention(retention, of: topic, expecting: isThere)
                return nil
            } catch {
                return error.code
            }
        }
        for turn in 0..<20 {
            let topic = try Topic("t\(turn)")
            let codes = await withTaskGroup { group in
                for events in 1...8 { group.addTask { await set(Int64(events), topic, expecting: false) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == .revisionChanged } == 7)
        }
        // By its bounds or by its events.
        #expect(await set(1, .of("a"), expecting: true) == .revisionChanged)
        try await log.append([.of("a")])
        #expect(await set(1, .of("a"), expecting: false) == .revisionChanged)
        #expect(await set(1, .of("a"), expecting: true) == nil)
        #expect(await set(nil, .of("a"), expecting: true) == nil)
        #expect(await set(2, .of("a"), expecting: true) == nil)
        #expect(try await log.deleteTopic(.of("a")))
        #expect(await set(2, .of("a"), expecting: true) == .revisionChanged)
        #expect(await set(2, .of("a"), expecting: false) == nil)
    }

    @Test(arguments: LogKind.all)
    func `a deleted topic is gone at once for every reader, and may be used again`(kind: LogKind) async throws {
        let log = try kind.make().log
        let many = (0..<3_000).map { EventDraft.of("a", "\($0)") }
        let first = try await log.append(many)[0]
        try await log.append([.of("b", "other")])
        try await log.setRetention(Retention(events: 9_999, age: 86_400_000, bytes: 1 << 30), of: .of("a"))
        #expect(try await log.deleteTopic(.of("a")))
        #expect(try await log.summary(of: .of("a")) == nil)
        #expect(try await log.lastEvent(of: .of("a")) == nil)
        #expect(try await log.event(first.id) == nil)
        let patterns: [[TopicPattern]] = [[.of("a")], [.of("a"), .of("b")], [.of("**")]]
        for pattern in patterns {
            let page = try await log.read(after: .start, matching: pattern, limit: 10_000, byteLimit: .max)
            #expect(page.events.allSatisfy { $0.topic.name == "b" })
            #expect(page.hasGap)
        }
        #expect(try await !log.deleteTopic(.of("a")))
        #expect(try await !log.deleteTopic(.of("never")))
        let again = try await log.append([.of("a", "again")])[0]
        let summary = try #require(try await log.summary(of: .of("a")))
        #expect(summary.events == 1 && summary.retention == nil)
        #expect(try await log.lastEvent(of: .of("a")) == again)
        #expect(again.position.rawValue == 3_002)
    }

    @Test(arguments: LogKind.all)
    func `a deleted topic's deliveries go with it`(kind: LogKind) async throws {
        let log = try kind.make().log
        _ = try await log.saveObserver(ObserverRecord(id: "w", topics: [.of("**")], createdAt: .now()), expecting: nil)
        try await log.append([.of("a"), .of("a"), .of("b")])
        #expect(try await log.deliveryStats(of: "w").pending == 3)
        _ = try await log.deleteTopic(.of("a"))
        let deadline = ContinuousClock.now + .seconds(20)
        while try await log.deliveryStats(of: "w").pending != 1, ContinuousClock.now < deadline { await Task.yield() }
        #expect(try await log.deliveryStats(of: "w").pending == 1)
        #expect(try await log.pendingDeliveries(of: "w", limit: 10).map(\.event.topic.name) == ["b"])
    }
}
