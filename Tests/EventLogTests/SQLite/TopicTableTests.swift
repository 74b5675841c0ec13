import Foundation
import GRDB
import Testing

@testable import EventLog

@Suite struct TopicTableTests {
    @Test func `a list walks the index of names from the prefix on, and no further`() async throws {
        let log = try SQLiteEventLog(at: .inMemory, durability: .memory)
        let plans = try await log.read { reader in
            _ = try reader.topics(prefix: "a", after: nil, limit: 1)
            let statement = try reader.db.cachedStatement(sql: LogReader.topicList(isAfter: false))
            return try Row.fetchAll(reader.db, sql: "EXPLAIN QUERY PLAN " + statement.sql, arguments: ["a", 1, "b"])
                .map { $0["detail"] as String }
        }
        #expect(plans.first == "SEARCH topic USING INDEX sqlite_autoindex_topic_1 (name>? AND name<?)")
        #expect(!plans.contains { $0.contains("B-TREE") })
    }

    @Test func `counters are right also when the process ends before they are written`() async throws {
        let directory = try TemporaryDirectory()
        let copy = try TemporaryDirectory()
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        try await log.append([.of("a", "12"), .of("b", "345")])
        // Holds the writer after the commit, so that it does not come to counting.
        let gate = Record<Bool>()
        log.follow { _ in while gate.all.isEmpty {} }
        log.append([.of("a", "6789")]) { _ in }
        while log.tail.rawValue < 3 { await Task.yield() }
        for (name, bytes) in try directory.contents() { try bytes.write(to: URL(filePath: copy.path + "/" + name)) }
        let before = try await log.topics(prefix: "", after: nil, limit: 9)
        #expect(before.map(\.events) == [2, 1])
        #expect(before.map(\.bytes) == [6, 3])
        let rows = try await log.read { try Int64.fetchAll($0.db, sql: "SELECT events FROM topic ORDER BY id") }
        #expect(rows != [2, 1], "the test is about counters that were not written")
        gate.add(true)
        await log.close()
        let again = try SQLiteEventLog(at: .directory(copy.path), durability: .process)
        #expect(try await again.topics(prefix: "", after: nil, limit: 9) == before)
        try await again.append([.of("a")])
        #expect(try await again.deleteTopic(.of("a")))
        #expect(try await again.topics(prefix: "", after: nil, limit: 9) == [before[1]])
        await again.close()
    }
}
