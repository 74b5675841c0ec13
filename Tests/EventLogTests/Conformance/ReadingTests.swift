import EventLog
import Testing

/// What readers may rely on.
@Suite("Conformance: reading") struct ReadingTests {
    private static func filled(
        _ kind: LogKind,
        count: Int = 600,
        seed: UInt64,
        scannedEvents: Int? = nil
    ) async throws -> (log: any CompleteLog, events: [Event]) {
        let log = try kind.make(LogKind.Settings(scannedEvents: scannedEvents)).log
        var random = SplitMix(seed: seed)
        var drafts: [EventDraft] = []
        for number in 0..<count { drafts.append(.of(random.name(wildcards: false), "\(number)")) }
        return (log, try await log.append(drafts))
    }

    @Test(arguments: LogKind.all)
    func `pages are what the patterns match, in order, without gap or repetition`(kind: LogKind) async throws {
        let (log, events) = try await Self.filled(kind, seed: 6, scannedEvents: 37)
        var random = SplitMix(seed: 7)
        for round in 0..<60 {
            let wildcards = round.isMultiple(of: 2)
            let patterns = (0..<Int.random(in: 1...(wildcards ? 3 : 30), using: &random)).map { _ in
                TopicPattern.of(random.name(wildcards: wildcards))
            }
            let after = Position(.random(in: 0...650, using: &random))
            let limit = Int.random(in: 1...40, using: &random)
            let expected = events.filter { event in
                event.position > after && patterns.contains { naiveMatch($0.text, event.topic.name) }
            }
            var found: [Event] = []
            var position = after
            while true {
                let page = try await log.read(after: position, matching: patterns, limit: limit, byteLimit: .max)
                #expect(page.events.count <= limit)
                #expect(page.scannedThrough > position || page.isLast)
                #expect(page.events.allSatisfy { $0.position > position && $0.position <= page.scannedThrough })
                found += page.events
                position = page.scannedThrough
                if page.isLast { break }
            }
            #expect(found == expected)
            #expect(position == max(after, log.tail))
            #expect(
                try await log.newest(matching: patterns)
                    == events.last { event in
                        patterns.contains { $0.matches(event.topic) }
                    }?.position
            )
        }
        await log.close()
    }

    @Test(arguments: LogKind.all, [["a"], ["a", "b"], ["**"]])
    func `a page ends at the byte limit, with one event at least`(kind: LogKind, patterns: [String]) async throws {
        let log = try kind.make().log
        let drafts = [10, 5, 5, 30, 1].map { EventDraft(topic: .of("a"), data: Array(repeating: 0, count: $0)) }
        _ = try await log.append(drafts)
        var sizes: [[Int]] = []
        var position = Position.start
        while position < log.tail {
            let page = try await log.read(
                after: position,
                matching: patterns.map(TopicPattern.of),
                limit: 9,
                byteLimit: 10
            )
            sizes.append(page.events.map(\.data.count))
            position = page.scannedThrough
        }
        #expect(sizes == [[10], [5, 5], [30], [1]])
        await log.close()
    }

    @Test(arguments: LogKind.all, [["a"], ["a", "b"], ["**"]])
    func `attributes count towards the byte limit of a page`(kind: LogKind, patterns: [String]) async throws {
        let log = try kind.make().log
        let attributes = Array("{\"x\":\"\(String(repeating: "y", count: 1_000))\"}".utf8)
        _ = try await log.append(
            (0..<5).map { _ in EventDraft(topic: .of("a"), data: [1], attributes: attributes) }
        )
        let patterns = patterns.map(TopicPattern.of)
        let page = try await log.read(after: .start, matching: patterns, limit: 9, byteLimit: 2_500)
        #expect(page.events.count == 3)
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `no pattern and an unknown topic match nothing, up to the tail`(kind: LogKind) async throws {
        let log = try kind.make().log
        _ = try await log.append([.of("a"), .of("b")])
        for patterns in [[], [TopicPattern.of("c")], [.of("c"), .of("d")], [.of("c.*")]] {
            let page = try await log.read(after: .start, matching: patterns, limit: 10, byteLimit: .max)
            #expect(page.events.isEmpty && page.isLast && page.scannedThrough == Position(2))
        }
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `finds the newest event of a topic`(kind: LogKind) async throws {
        let (log, events) = try await Self.filled(kind, seed: 8)
        for topic in Set(events.map(\.topic)) {
            #expect(try await log.lastEvent(of: topic) == events.last { $0.topic == topic })
        }
        #expect(try await log.lastEvent(of: .of("unknown")) == nil)
        #expect(try await log.newest(matching: [.of("unknown")]) == nil)
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `an id that is not of this log is unknown`(kind: LogKind) async throws {
        let log = try kind.make().log
        let other = try kind.make().log
        let id = try await log.append([.of("a")])[0].id
        _ = try await other.append([.of("a")])
        #expect(try await other.event(id) == nil)
        #expect(try await log.event(EventID(epoch: log.epoch, position: Position(2))) == nil)
        #expect(try await log.event(EventID(epoch: log.epoch, position: .start)) == nil)
        await log.close()
        await other.close()
    }

    @Test(arguments: LogKind.all)
    func `finds the position before the first event since a moment`(kind: LogKind) async throws {
        let clock = ManualClock()
        let start = clock.now
        let log = try kind.make(clock: clock).log
        #expect(try await log.position(since: start) == .start)
        var times: [Int64] = []
        var random = SplitMix(seed: 9)
        for _ in 0..<100 {
            clock.now = clock.now.advanced(byMilliseconds: .random(in: 0...3, using: &random))
            times.append(try await log.append([.of("a")])[0].time.milliseconds)
        }
        for moment in (times[0] - 2)...(times[99] + 2) {
            let expected = times.firstIndex { $0 >= moment } ?? 100
            #expect(try await log.position(since: Timestamp(milliseconds: moment)) == Position(Int64(expected)))
        }
        await log.close()
    }

    @Test(arguments: LogKind.all, [1, 37, 100_000])
    func `finds the position before the newest events of patterns and types`(
        kind: LogKind,
        scannedEvents: Int
    ) async throws {
        let log = try kind.make(LogKind.Settings(scannedEvents: scannedEvents)).log
        var random = SplitMix(seed: 10)
        let types: [String?] = ["a", "\u{E9}", nil]
        let events = try await log.append(
            (0..<300).map { number in
                EventDraft(
                    topic: .of(random.name(wildcards: false)),
                    type: types.randomElement(using: &random) ?? nil,
                    data: Array("\(number)".utf8)
                )
            }
        )
        for round in 0..<60 {
            let wildcards = round.isMultiple(of: 2)
            let patterns = (0..<Int.random(in: 1...(wildcards ? 3 : 30), using: &random)).map { _ in
                TopicPattern.of(random.name(wildcards: wildcards))
            }
            // Equal to Swift, but not by its bytes, is another type.
            let wanted = [[], ["a"], ["a", "\u{E9}"], ["e\u{301}"]].randomElement(using: &random) ?? []
            let count = Int.random(in: 1...40, using: &random)
            let matching = events.filter { event in
                patterns.contains { naiveMatch($0.text, event.topic.name) }
                    && (wanted.isEmpty || wanted.contains { $0.utf8.elementsEqual((event.type ?? "").utf8) })
            }
            let found = try await log.position(beforeNewest: count, matching: patterns, types: wanted)
            let expected = matching.suffix(count).first.map { $0.position.rawValue - 1 } ?? 300
            #expect(found == Position(expected), "\(count) of \(patterns) \(wanted)")
        }
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `events of a topic that was deleted are none of the newest`(kind: LogKind) async throws {
        let log = try kind.make().log
        _ = try await log.append([.of("a"), .of("b"), .of("a"), .of("b")])
        #expect(try await log.deleteTopic(.of("a")))
        _ = try await log.append([.of("a")])
        for patterns in [["a"], ["a", "c"], ["a.**", "a"]] {
            let ones = patterns.map(TopicPattern.of)
            #expect(try await log.position(beforeNewest: 3, matching: ones, types: []) == Position(4))
        }
        for patterns in [["a", "b"], ["*"]] {
            let ones = patterns.map(TopicPattern.of)
            #expect(try await log.position(beforeNewest: 2, matching: ones, types: []) == Position(3))
            #expect(try await log.position(beforeNewest: 3, matching: ones, types: []) == Position(1))
        }
        #expect(try await log.position(beforeNewest: 1, matching: [], types: []) == Position(5))
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `a page of a later snapshot may run ahead of what followers heard, never behind`(kind: LogKind) async throws {
        let log = try kind.make().log
        async let posting: Void = {
            for _ in 0..<300 { _ = try await log.append([.of("a")]) }
        }()
        var last = Position.start
        while last < Position(300) {
            let heard = log.tail
            let page = try await log.read(after: last, matching: [.of("a")], limit: 10, byteLimit: .max)
            #expect(page.tail >= heard)
            #expect(
                page.events.map(\.position.rawValue) == Array((last.rawValue + 1)..<(page.scannedThrough.rawValue + 1))
            )
            last = page.scannedThrough
        }
        try await posting
        await log.close()
    }
}
