import Dispatch
import EventLog
import Testing

/// What followers may rely on: the deliveries that a commit names are those that would be read.
@Suite("Conformance: commits") struct CommitTests {
    /// A delivery as it is told and as it is read, to be compared.
    private struct Row: Hashable {
        let id: Int64
        let observer: String
        let event: Position
    }

    private func rows(_ commit: Commit) -> [Row]? {
        commit.deliveries?.map { Row(id: $0.id, observer: $0.observer, event: $0.event) }
    }

    private func due(_ log: any CompleteLog, _ observers: String..., at now: Timestamp) async throws -> Set<Row> {
        var rows: Set<Row> = []
        for observer in observers {
            for record in try await log.dueDeliveries(of: observer, at: now, limit: 10_000) {
                rows.insert(Row(id: record.id, observer: record.observer, event: record.event.position))
            }
        }
        return rows
    }

    private func follow(_ log: any CompleteLog) -> Record<Commit> {
        let told = Record<Commit>()
        log.follow { told.add($0) }
        return told
    }

    @Test(arguments: LogKind.all)
    func `name each delivery that they made, in sequence, and no other`(kind: LogKind) async throws {
        let clock = ManualClock()
        let log = try kind.make(clock: clock).log
        try await save(log, "all", ["**", "*", "a", "a.*", "a.**"])
        try await save(log, "typed", ["**"], types: ["t", "u"])
        try await save(log, "disabled", ["**"], receives: false)
        try await save(log, "other", ["b.*"])
        try await save(log, "none", ["c"])
        let told = follow(log)
        try await log.append([.of("a"), .of("a.b", type: "t"), .of("b.c", type: "v")])
        try await log.append([.of("a", type: "u")])
        let found = try await due(log, "all", "typed", "disabled", "other", "none", at: clock.now)
        let names = told.all.flatMap { rows($0) ?? [] }
        #expect(names.count == 7 && Set(names) == found)
        #expect(told.all.map { $0.deliveries?.count } == [5, 2])
        for commit in told.all {
            let told = try #require(rows(commit))
            #expect(told.map(\.event) == told.map(\.event).sorted())
            #expect(told.map(\.id) == told.map(\.id).sorted())
            #expect(Set(told.map(\.event)).isSubset(of: commit.events.map(\.position)))
        }
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `follow the observers as they are when the event is written`(kind: LogKind) async throws {
        let log = try kind.make().log
        let told = follow(log)
        try await log.append([.of("a")])
        try await save(log, "w", ["a"])
        try await log.append([.of("a")])
        try await save(log, "w", ["b"])
        try await log.append([.of("a"), .of("b")])
        try await save(log, "w", ["b"], receives: false)
        try await log.append([.of("b")])
        try await save(log, "w", ["b"])
        _ = try await log.deleteObserver("w", expecting: nil)
        try await log.append([.of("b")])
        #expect(told.all.map { $0.deliveries?.map(\.event.rawValue) } == [[], [2], [4], [], []])
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `name up to 4,096, and leave it to reading if there are more`(kind: LogKind) async throws {
        let log = try kind.make(LogKind.Settings(deferredDeliveries: 1_024)).log
        try await save(log, "w", ["a"])
        let told = follow(log)
        for count in [4_095, 4_096, 4_097, 1] {
            // What waits for its rows counts, too: a read has them written.
            _ = try await log.deliveryStats(of: "w")
            try await log.append(Array(repeating: .of("a"), count: count))
        }
        #expect(told.all.map { $0.deliveries?.count } == [4_095, 4_096, nil, 1])
        #expect(told.all.map(\.events.count) == [4_095, 4_096, 4_097, 1])
        #expect(try await log.deliveryStats(of: "w").pending == 12_289)
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `name nothing of what was refused, or posted before`(kind: LogKind) async throws {
        let log = try kind.make().log
        try await save(log, "w", ["a"])
        func keyed(_ text: String) -> EventDraft {
            var draft = EventDraft.of("a", text)
            draft.idempotencyKey = IdempotencyKey("k", fingerprint: Array(text.utf8))
            return draft
        }
        try await log.append([keyed("one")])
        let told = Record<Commit>()
        let (isHeld, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        log.follow { commit in
            told.add(commit)
            guard commit.events[0].text == "gate" else { return }
            // Holds the writer, so that what follows becomes one group.
            isHeld.signal()
            gate.wait()
        }
        log.append([.of("b", "gate")], if: nil) { _ in }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isHeld.wait()
                continuation.resume()
            }
        }
        let answers = Record<String>()
        func post(_ drafts: [EventDraft], if condition: AppendCondition? = nil) {
            log.append(drafts, if: condition) { result in
                switch result {
                case .success(let receipt): answers.add(receipt.isReplay ? "replay" : "stored")
                case .failure(let error): answers.add(error.code)
                }
            }
        }
        post([.of("a", "first")])
        post([.of("a"), keyed("two")])
        post([.of("a")], if: .hasNone)
        post([keyed("one")])
        post([.of("a", "last"), keyed("one")])
        gate.signal()
        try await log.append([])
        #expect(
            answers.all
                == ["stored", EventLogError.idempotencyConflict, EventLogError.valueChanged, "replay", "stored"]
        )
        #expect(told.all.map { $0.events.map(\.text) } == [["gate"], ["first", "last"]])
        let found = try await due(log, "w", at: ManualClock().now)
        #expect(found.count == 3)
        #expect(Set(told.all.flatMap { rows($0) ?? [] }) == found.filter { $0.event > Position(1) })
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `do not name what is delivered anew`(kind: LogKind) async throws {
        let log = try kind.make().log
        try await log.append([.of("a")])
        try await save(log, "w", ["a"])
        let told = follow(log)
        #expect(try await log.redeliver([Position(1)], to: "w", at: .now()) == 1)
        #expect(told.all.isEmpty)
        try await log.append([.of("a")])
        #expect(told.all.map { $0.deliveries?.map(\.event.rawValue) } == [[2]])
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `make deliveries that are due at once, also when the clock was set back a little`(kind: LogKind) async throws {
        let clock = ManualClock()
        let log = try kind.make(clock: clock).log
        try await save(log, "w", ["a"])
        try await log.append([.of("a")])
        clock.now = clock.now.advanced(byMilliseconds: -30_000)
        try await log.append([.of("a")])
        let found = try await due(log, "w", at: clock.now)
        #expect(Set(found.map(\.event.rawValue)) == [1, 2])
        await log.close()
    }
}
