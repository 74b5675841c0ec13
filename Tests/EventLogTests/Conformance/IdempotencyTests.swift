import EventLog
import Testing

/// What idempotency keys promise.
@Suite("Conformance: idempotency") struct IdempotencyTests {
    private let clock = ManualClock()

    private func draft(_ topic: String, _ key: String?, _ text: String) -> EventDraft {
        var draft = EventDraft.of(topic, text)
        draft.idempotencyKey = key.map { IdempotencyKey($0, fingerprint: Array(text.utf8)) }
        return draft
    }

    @Test(arguments: LogKind.all)
    func `a repeated post is not stored again, nor told, and answered with the first event`(kind: LogKind) async throws
    {
        let log = try kind.make(clock: clock).log
        let told = Record<Event>()
        log.follow { for event in $0.events { told.add(event) } }
        let first = try await log.append([draft("a", "k", "one")], if: nil)
        clock.now = clock.now.advanced(byMilliseconds: 1_000)
        let second = try await log.append([draft("a", "k", "one")], if: nil)
        #expect(!first.isReplay)
        #expect(second.isReplay)
        #expect(second.events == first.events)
        #expect(told.all == first.events)
        #expect(try await log.append([.of("a")])[0].position.rawValue == 2, "a replay takes no position")
    }

    @Test(arguments: LogKind.all)
    func `a key with another post is a conflict, and nothing of its append is stored`(kind: LogKind) async throws {
        let log = try kind.make(clock: clock).log
        try await log.append([draft("a", "k", "one")])
        let error = await #expect(throws: EventLogError.self) {
            try await log.append([.of("a", "before"), draft("a", "k", "two")], if: nil)
        }
        #expect(error?.code == .idempotencyConflict)
        #expect(error?.place == 1)
        #expect(log.tail.rawValue == 1)
    }

    @Test(arguments: LogKind.all)
    func `a key belongs to its topic`(kind: LogKind) async throws {
        let log = try kind.make(clock: clock).log
        try await log.append([draft("a", "k", "one")])
        let other = try await log.append([draft("b", "k", "two")], if: nil)
        #expect(!other.isReplay)
    }

    @Test(arguments: LogKind.all)
    func `a key is forgotten after 24 hours, not before`(kind: LogKind) async throws {
        let log = try kind.make(clock: clock).log
        try await log.append([draft("a", "k", "one")])
        clock.now = clock.now.advanced(byMilliseconds: IdempotencyKey.lifetime - 1)
        #expect(try await log.append([draft("a", "k", "one")], if: nil).isReplay)
        clock.now = clock.now.advanced(byMilliseconds: 1)
        let later = try await log.append([draft("a", "k", "other")], if: nil)
        #expect(!later.isReplay)
        #expect(later.events[0].position.rawValue == 2)
    }

    @Test(arguments: LogKind.all)
    func `in one append the same key stands for one event`(kind: LogKind) async throws {
        let log = try kind.make(clock: clock).log
        let receipt = try await log.append(
            [draft("a", "k", "one"), draft("a", nil, "two"), draft("a", "k", "one"), draft("a", "l", "three")],
            if: nil
        )
        #expect(receipt.events.map(\.position.rawValue) == [1, 2, 1, 3])
        let mixed = try await log.append([draft("a", "k", "one"), draft("a", nil, "four")], if: nil)
        #expect(!mixed.isReplay)
        #expect(mixed.events.map(\.position.rawValue) == [1, 4])
        let code = await code { () async throws(EventLogError) in
            try await log.append([draft("a", "n", "x"), draft("a", "n", "y")], if: nil)
        }
        #expect(code == .idempotencyConflict)
        #expect(log.tail.rawValue == 4)
    }

    @Test(arguments: LogKind.all)
    func `keys are compared by their bytes`(kind: LogKind) async throws {
        let log = try kind.make(clock: clock).log
        let receipt = try await log.append([draft("a", "\u{E9}", "one"), draft("a", "e\u{301}", "two")], if: nil)
        #expect(receipt.events.map(\.position.rawValue) == [1, 2])
    }

    @Test(arguments: LogKind.all)
    func `the keys of a topic that is deleted are forgotten at once`(kind: LogKind) async throws {
        let log = try kind.make(clock: clock).log
        try await log.append([draft("a", "k", "one"), draft("b", "k", "one")])
        #expect(try await log.deleteTopic(.of("a")))
        let again = try await log.append([draft("a", "k", "other")], if: nil)
        #expect(!again.isReplay && again.events[0].position.rawValue == 3)
        #expect(try await log.append([draft("a", "k", "other")], if: nil).events == again.events)
        #expect(try await log.append([draft("b", "k", "one")], if: nil).isReplay)
    }

    @Test(arguments: LogKind.all)
    func `keys are kept when the log is closed and opened again`(kind: LogKind) async throws {
        guard kind.outlivesClosing else { return }
        let subject = try kind.make(clock: clock)
        var log = subject.log
        let first = try await log.append([draft("a", "k", "one")], if: nil)
        await log.close()
        log = try await subject.reopen()
        let second = try await log.append([draft("a", "k", "one")], if: nil)
        #expect(second.isReplay)
        #expect(second.events == first.events)
        await log.close()
    }
}
