import EventLog
import Testing

/// What compare-and-set promises.
@Suite("Conformance: conditions") struct AppendConditionTests {
    @Test(arguments: LogKind.all)
    func `compare-and-set stores only over what was expected`(kind: LogKind) async throws {
        let log = try kind.make().log
        func set(_ condition: AppendCondition) async -> EventLogError.Code? {
            await code { () async throws(EventLogError) in try await log.append([.of("a", "v")], if: condition) }
        }
        #expect(await set(.hasEvent) == .valueChanged)
        #expect(await set(.hasNone) == nil)
        #expect(await set(.hasNone) == .valueChanged)
        let first = try #require(try await log.lastEvent(of: .of("a")))
        try await log.append([.of("b")])
        #expect(await set(.newestIsOne(of: [first.id])) == nil)
        #expect(await set(.newestIsOne(of: [first.id])) == .valueChanged)
        #expect(await set(.hasEvent) == nil)
        #expect(log.tail.rawValue == 4)
        let newest = try #require(try await log.lastEvent(of: .of("a")))
        #expect(await set(.newestIsNone(of: [first.id, newest.id])) == .valueChanged)
        #expect(await set(.newestIsNone(of: [first.id])) == nil)
        #expect(log.tail.rawValue == 5)
    }

    @Test(arguments: LogKind.all)
    func `of several conditions the first that does not hold is told`(kind: LogKind) async throws {
        let log = try kind.make().log
        func place(_ conditions: AppendCondition...) async -> Int? {
            do {
                _ = try await log.append([.of("a")], if: .all(conditions))
                return nil
            } catch {
                #expect(error.code == .valueChanged)
                return error.place
            }
        }
        #expect(await place(.hasEvent, .hasNone) == 0)
        #expect(await place(.hasNone, .hasEvent) == 1)
        #expect(await place(.hasNone, .newestIsNone(of: [])) == nil)
        #expect(await place(.hasNone, .hasEvent) == 0)
        #expect(await place(.hasEvent, .newestIsNone(of: [])) == nil)
        #expect(await place() == nil)
        #expect(log.tail.rawValue == 3)
    }

    @Test(arguments: LogKind.all)
    func `of many that expect the same one is stored`(kind: LogKind) async throws {
        let log = try kind.make().log
        var newest = try await log.append([.of("a")])[0].id
        for _ in 0..<20 {
            let expected = newest
            let (stored, refusals) = await withTaskGroup { group in
                for _ in 0..<16 {
                    group.addTask { () async -> Result<EventID, EventLogError> in
                        do throws(EventLogError) {
                            let receipt = try await log.append([.of("a")], if: .newestIsOne(of: [expected]))
                            return .success(receipt.events[0].id)
                        } catch {
                            return .failure(error)
                        }
                    }
                }
                return await group.reduce(into: ([EventID](), Set<EventLogError.Code>())) { found, result in
                    switch result {
                    case .success(let id): found.0.append(id)
                    case .failure(let error): found.1.insert(error.code)
                    }
                }
            }
            // The servers of a busy machine may be silent for so long that nobody is told whose was stored.
            #expect(stored.count == 1 || stored.isEmpty && refusals.contains(.unavailable))
            newest = try #require(try await log.lastEvent(of: .of("a"))).id
            #expect(stored.isEmpty || stored == [newest])
        }
    }

    @Test(arguments: LogKind.all)
    func `a replay is a replay, although the condition holds no more`(kind: LogKind) async throws {
        let log = try kind.make().log
        var draft = EventDraft.of("a")
        draft.idempotencyKey = IdempotencyKey("k", fingerprint: [])
        let first = try await log.append([draft], if: .hasNone)
        let second = try await log.append([draft], if: .hasNone)
        #expect(second.isReplay)
        #expect(second.events == first.events)
    }
}
