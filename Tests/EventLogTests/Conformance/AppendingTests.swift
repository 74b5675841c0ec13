import EventLog
import Synchronization
import Testing

/// What posts may rely on.
@Suite("Conformance: appending") struct AppendingTests {
    static let places: [LogKind] = [.disk, .process, .memory]

    @Test(arguments: places) func `gives back what it was given, numbered from one`(kind: LogKind) async throws {
        let log = try kind.make().log
        #expect(log.tail == .start)
        let drafts = [
            EventDraft(topic: .of("a"), type: "created", contentType: "text/plain", data: [1, 2, 0], attributes: [7]),
            EventDraft(topic: .of("b"), data: []),
            EventDraft(topic: .of("a"), type: "", contentType: "", data: [0xFF], attributes: []),
        ]
        let events = try await log.append(drafts)
        #expect(events.map(\.position.rawValue) == [1, 2, 3])
        #expect(log.tail == Position(3))
        for (event, draft) in zip(events, drafts) {
            #expect(event.topic == draft.topic && event.type == draft.type && event.contentType == draft.contentType)
            #expect(event.data == draft.data && event.attributes == draft.attributes)
            #expect(event.time == ManualClock().now && event.id.epoch == log.epoch)
            #expect(try await log.event(event.id) == event)
        }
        await log.close()
    }

    @Test(arguments: places) func `keeps one order under concurrent posts`(kind: LogKind) async throws {
        let log = try kind.make(LogKind.Settings(groupEvents: 16)).log
        let heard = Record<Event>()
        log.follow { for event in $0.events { heard.add(event) } }
        let posts = kind.testDescription == LogKind.disk.testDescription ? 25 : 200
        let acknowledged = try await withThrowingTaskGroup(of: [Event].self) { group in
            for poster in 0..<8 {
                group.addTask {
                    var events: [Event] = []
                    for number in 0..<posts {
                        events += try await log.append([.of("poster.\(poster)", "\(number)"), .of("pair", "\(poster)")])
                    }
                    return events
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(heard.all.map(\.position.rawValue) == Array(1...Int64(8 * posts * 2)))
        for events in acknowledged {
            #expect(events.map(\.position) == events.map(\.position).sorted())
            for (one, other) in zip(events, events.dropFirst()) where one.topic != .of("pair") {
                #expect(other.position.rawValue == one.position.rawValue + 1)
            }
        }
        for poster in 0..<8 {
            let texts = heard.all.filter { $0.topic == .of("poster.\(poster)") }.map(\.text)
            #expect(texts == (0..<posts).map(String.init))
        }
        #expect(Set(acknowledged.joined()) == Set(heard.all))
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `tells followers after the tail has moved and before it acknowledges`(kind: LogKind) async throws {
        let log = try kind.make().log
        let order = Record<String>()
        log.follow { [weak log] commit in order.add("first \(commit.events.count) at \(log?.tail.rawValue ?? -1)") }
        log.follow { order.add("second \($0.events.count)") }
        await withCheckedContinuation { continuation in
            log.append([.of("a"), .of("b")]) { result in
                order.add("acknowledged \((try? result.get())?.events.count ?? -1)")
                continuation.resume()
            }
        }
        #expect(order.all == ["first 2 at 2", "second 2", "acknowledged 2"])
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `posts beside probes are all told`(kind: LogKind) async throws {
        let log = try kind.make().log
        let heard = Record<Event>()
        log.follow { for event in $0.events { heard.add(event) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for poster in 0..<4 {
                group.addTask { for number in 0..<150 { try await log.append([.of("a.\(poster)", "\(number)")]) } }
                group.addTask { for _ in 0..<150 { try await log.probe() } }
            }
            try await group.waitForAll()
        }
        #expect(heard.all.count == 600)
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `acknowledges an empty post in its turn`(kind: LogKind) async throws {
        let log = try kind.make().log
        let order = Record<Int>()
        log.append([.of("a")]) { _ in order.add(1) }
        #expect(try await log.append([]).isEmpty)
        #expect(order.all == [1])
        #expect(log.tail == Position(1))
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `refuses at once when too much waits`(kind: LogKind) async throws {
        let log = try kind.make(LogKind.Settings(queuedBytes: 10_000)).log
        let large = EventDraft(topic: .of("a"), data: Array(repeating: 0, count: 10_000))
        // Larger than the bound, and taken when nothing waits.
        #expect(try await log.append([large]).count == 1)
        let answers = Record<EventLogError.Code?>()
        for _ in 0..<200 {
            log.append([large]) { result in
                guard case .failure(let error) = result else { return answers.add(nil) }
                answers.add(error.code)
            }
        }
        // Closing waits for all of them.
        await log.close()
        #expect(answers.all.count == 200)
        #expect(answers.all.allSatisfy { $0 == nil || $0 == .overloaded })
        #expect(answers.all.contains(.overloaded))
        #expect(log.tail == Position(Int64(answers.all.count { $0 == nil }) + 1))
    }

    @Test(arguments: LogKind.all)
    func `writes what waits before it closes, and nothing after`(kind: LogKind) async throws {
        let subject = try kind.make()
        let log = subject.log
        let acknowledged = Record<Bool>()
        for _ in 0..<500 { log.append([.of("a")]) { acknowledged.add((try? $0.get()) != nil) } }
        async let other: Void = log.close()
        await log.close()
        await other
        await log.close()
        #expect(acknowledged.all == Array(repeating: true, count: 500))
        #expect(await code { () throws(EventLogError) in try await log.append([.of("a")]) } == .closed)
        #expect(
            await code { () throws(EventLogError) in try await log.lastEvent(of: .of("a")) } == .closed
        )
        guard kind.outlivesClosing else { return }
        let again = try await subject.reopen()
        #expect(again.tail == Position(500))
        await again.close()
    }

    @Test(arguments: LogKind.all)
    func `a log that is dropped writes what waits, and may be opened again`(kind: LogKind) async throws {
        guard kind.outlivesClosing else { return }
        let subject = try kind.make()
        let acknowledged = Record<Int>()
        try subject.abandon { log in
            for number in 0..<100 { log.append([.of("a")]) { _ in acknowledged.add(number) } }
        }
        let again = try await subject.reopen()
        #expect(acknowledged.all == Array(0..<100))
        #expect(again.tail == Position(100))
        await again.close()
    }

    @Test(arguments: LogKind.all)
    func `its time does not follow small steps back of the clock, but large ones`(kind: LogKind) async throws {
        let clock = ManualClock()
        let start = clock.now
        let log = try kind.make(clock: clock).log
        func post() async throws -> Int64 { try await log.append([.of("a")])[0].time.milliseconds - start.milliseconds }
        #expect(try await post() == 0)
        clock.now = start.advanced(byMilliseconds: -59_000)
        #expect(try await post() == 0)
        clock.now = start.advanced(byMilliseconds: 5)
        #expect(try await post() == 5)
        clock.now = start.advanced(byMilliseconds: -3_600_000)
        #expect(try await post() == -3_600_000)
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `remembers more topics than it caches`(kind: LogKind) async throws {
        let log = try kind.make(LogKind.Settings(cachedTopics: 8)).log
        for round in 0..<3 {
            for topic in 0..<50 { _ = try await log.append([.of("t\(topic)", "\(round)")]) }
        }
        for topic in 0..<50 {
            let page = try await log.read(after: .start, matching: [.of("t\(topic)")], limit: 10, byteLimit: .max)
            #expect(page.events.map(\.text) == ["0", "1", "2"])
        }
        await log.close()
    }
}
