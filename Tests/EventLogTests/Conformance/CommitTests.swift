import Dispatch
import EventLog
import Testing

/// What followers are told of, and who is to get it.
@Suite("Conformance: commits") struct CommitTests {
    private func due(_ log: any CompleteLog, _ observer: ObserverID, at now: Timestamp) async throws -> [Int64] {
        try await log.due(of: observer, at: now, limit: 10_000).map(\.event.position.rawValue)
    }

    @Test(arguments: LogKind.all)
    func `observers get what they want as they are when the event is written`(kind: LogKind) async throws {
        let log = try kind.make().log
        try await log.append([.of("a")])
        try await save(log, "w", ["a"])
        try await log.append([.of("a")])
        try await save(log, "w", ["b"])
        try await log.append([.of("a"), .of("b")])
        try await save(log, "w", ["b"], receives: false)
        try await log.append([.of("b")])
        #expect(try await log.pendingDeliveries(of: "w", limit: 9).map(\.event.position.rawValue) == [2, 4])
        try await save(log, "w", ["b"])
        try await log.append([.of("b")])
        #expect(try await log.pendingDeliveries(of: "w", limit: 9).map(\.event.position.rawValue) == [2, 4, 6])
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `tell nothing of what was refused, or posted before`(kind: LogKind) async throws {
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
                case .failure(let error): answers.add(error.code.rawValue)
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
                == ["stored", "idempotency-conflict", "value-changed", "replay", "stored"]
        )
        #expect(told.all.flatMap { $0.events.map(\.text) } == ["gate", "first", "last"])
        // What waits meanwhile is one group, where the writer is what it waits for.
        if kind.testDescription != LogKind.jetStream?.testDescription { #expect(told.all.count == 2) }
        #expect(try await due(log, "w", at: ManualClock().now).count == 3)
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
        #expect(try await Set(due(log, "w", at: clock.now)) == [1, 2])
        await log.close()
    }
}
