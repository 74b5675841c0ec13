import Dispatch
import Glibc
import Testing

@testable import EventLog

/// Who commits: the log's thread, or a guest that finds it at rest.
@Suite struct SequencerTests {
    @Test(arguments: [Durability.memory, .process])
    func `what is appended together is one commit, and acknowledged when the call returns`(
        durability: Durability
    ) async throws {
        let directory = try TemporaryDirectory()
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: durability)
        try await log.settle()
        let told = Record<String>()
        log.follow { told.add("commit \($0.events.count)") }
        var isInPlace = false
        // The log's thread may be at maintenance, and then it commits.
        let deadline = ContinuousClock.now + .seconds(30)
        while !isInPlace, ContinuousClock.now < deadline {
            let acknowledged = Record<Int>()
            log.together {
                for _ in 0..<3 {
                    log.append([.of("a")]) { _ in acknowledged.add(1) }
                }
                #expect(acknowledged.all.count == 0)
            }
            isInPlace = acknowledged.all.count == 3
            while acknowledged.all.count < 3, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        #expect(isInPlace)
        #expect(told.all.last == "commit 3")
        await log.close()
    }

    @Test func `nobody waits for the disk but the log's thread`() async throws {
        let directory = try TemporaryDirectory()
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: .disk)
        try await log.settle()
        let thread = Record<String>()
        log.follow { _ in thread.add(currentThread()) }
        for _ in 0..<20 {
            log.together { log.append([.of("a")]) { _ in } }
            _ = try await log.append([])
        }
        #expect(Set(thread.all).count == 1)
        #expect(thread.all.first != currentThread())
        await log.close()
    }

    @Test(arguments: [1, 2, 4]) func `followers hear one sequence, whoever commits`(guests: Int) async throws {
        let directory = try TemporaryDirectory()
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        let heard = Record<Int64>()
        log.follow { commit in
            for event in commit.events { heard.add(event.position.rawValue) }
        }
        let (rounds, each) = (400, 3)
        let acknowledged = Record<Int>()
        try await withThrowingTaskGroup { group in
            for guest in 0..<guests {
                group.addTask {
                    await onThread {
                        for _ in 0..<rounds {
                            log.together {
                                for _ in 0..<each {
                                    log.append([.of("guest.\(guest)")]) { result in
                                        if case .success = result { acknowledged.add(1) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            // What is the log's thread's alone, beside them.
            group.addTask { for _ in 0..<rounds / 4 { _ = try await log.append([.of("other")]) } }
            group.addTask { for _ in 0..<rounds / 4 { _ = try await log.recordOutcomes([]) } }
            try await group.waitForAll()
        }
        // In turn with all that was handed in.
        _ = try await log.append([])
        let count = guests * rounds * each + rounds / 4
        #expect(acknowledged.all.count == guests * rounds * each)
        #expect(heard.all == Array(1...Int64(count)))
        await log.close()
    }

    @Test func `a log that is closed amid guests tells each of them how it went`() async throws {
        for _ in 0..<20 {
            let directory = try TemporaryDirectory()
            let log = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
            let told = Record<Int>()
            async let guest: Void = onThread {
                for _ in 0..<200 {
                    log.together { log.append([.of("a")]) { _ in told.add(1) } }
                }
            }
            await log.close()
            await guest
            #expect(told.all.count == 200)
        }
    }
}

/// Runs a body on a thread that may wait.
private func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            body()
            continuation.resume()
        }
    }
}

private nonisolated func currentThread() -> String { "\(pthread_self())" }
