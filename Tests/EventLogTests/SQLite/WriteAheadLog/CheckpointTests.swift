import Foundation
import Testing

@testable import EventLog

@Suite struct CheckpointTests {
    private let fresh = CheckpointSchedule(pageSize: 4_096)
    private var step: Int { fresh.step }
    private var limit: Int { fresh.limit }

    @Test(arguments: [512, 4_096, 65_536])
    func `comes after as many bytes, however large a page is`(pageSize: Int) {
        let schedule = CheckpointSchedule(pageSize: pageSize)
        let pages = [schedule.step, schedule.limit, schedule.bound]
        #expect(pages.map { $0 * pageSize } == [16 << 20, 64 << 20, 96 << 20])
    }

    @Test func `comes with every step the log grows, beside the writer`() {
        var schedule = fresh
        var actions: [Int] = []
        for pages in 0..<limit where next(&schedule, pages) != .none { actions.append(pages) }
        #expect(actions == [step, 2 * step, 3 * step])
    }

    @Test func `is the writer's own when the log is too long, once one beside it has left it little to do`() {
        var schedule = fresh
        for pages in 0..<limit { _ = next(&schedule, pages) }
        #expect(next(&schedule, limit) == .beside)
        #expect(next(&schedule, limit + 100, isRunning: true) == .none)
        #expect(next(&schedule, limit + 200) == .here)
        // It was in vain: someone reads what is old. Not again at every commit.
        #expect(next(&schedule, limit + 201) == .none)
        #expect(next(&schedule, limit + 200 + step) == .beside)
        #expect(next(&schedule, limit + 201 + step) == .here)
    }

    @Test func `is waited for when the log is longer than it may be`() {
        var schedule = fresh
        #expect(next(&schedule, limit) == .beside)
        #expect(next(&schedule, fresh.bound - 1, isRunning: true) == .none)
        #expect(next(&schedule, fresh.bound, isRunning: true) == .wait)
        #expect(next(&schedule, fresh.bound) == .here)
    }

    @Test func `is not the writer's own if the log has begun anew meanwhile`() {
        var schedule = fresh
        #expect(next(&schedule, limit) == .beside)
        #expect(next(&schedule, 7) == .none)
    }

    @Test func `waits for the one under way, and counts anew when the log does`() {
        var schedule = fresh
        #expect(next(&schedule, step + 9, isRunning: true) == .none)
        #expect(next(&schedule, step + 10) == .beside)
        #expect(next(&schedule, 5) == .none)
        #expect(next(&schedule, step - 1) == .none)
        #expect(next(&schedule, step) == .beside)
    }

    @Test func `comes when it is wanted, too`() {
        var schedule = fresh
        #expect(next(&schedule, 9, isRunning: true, isWanted: true) == .none)
        #expect(next(&schedule, 9, isWanted: true) == .beside)
        #expect(next(&schedule, 9 + step - 1) == .none)
    }

    @Test func `never begins beside the writer where all is moved already`() {
        var schedule = fresh
        #expect(next(&schedule, 9, moved: 9, isWanted: true) == .none)
        #expect(next(&schedule, step, moved: step) == .none)
        // One commit more, or as many pages that were written after it began anew.
        #expect(next(&schedule, step + 1, moved: step) == .beside)
        #expect(next(&schedule, 5, moved: step, isWanted: true) == .beside)
    }

    private func next(
        _ schedule: inout CheckpointSchedule,
        _ pages: Int,
        isRunning: Bool = false,
        moved: Int = 0,
        isWanted: Bool = false
    ) -> CheckpointSchedule.Action {
        schedule.next(pages: pages, isRunning: isRunning, moved: moved, isWanted: isWanted)
    }

    @Test func `the write-ahead log stays bounded under posts and reads that never cease, and is gone after closing`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        let draft = EventDraft(topic: .of("a"), data: Array(repeating: 1, count: 100_000))
        async let reading: Int = {
            var pages = 0
            while log.tail < Position(2_000) {
                _ = try await log.read(after: .start, matching: [.of("**")], limit: 5, byteLimit: .max)
                pages += 1
            }
            return pages
        }()
        // 200 MB in all.
        for _ in 0..<500 { _ = try await log.append([draft, draft, draft, draft]) }
        #expect(try await reading > 0)
        let path = directory.path + "/clarion.db-wal"
        let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(size < 150 << 20)
        await log.close()
        #expect(!FileManager.default.fileExists(atPath: path))
        let again = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        #expect(again.tail == Position(2_000))
        await again.close()
    }
}
