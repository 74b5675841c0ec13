import FoundationEssentials
import Glibc
import Locking
import Posix
import Testing

@testable import Webhooks

@Suite("Transport")
struct TransportTests {
    private func transport(
        cores: Int = 2,
        timeOfDay: @escaping @Sendable () -> Int64 = { 1_800_000_000_000 }
    ) throws -> Transport {
        var configuration = WebhookConfiguration()
        configuration.allowEgress = [try CIDRBlock("127.0.0.0/8")]
        let options = TransportOptions(configuration, cores: cores)
        return Transport(options: options, store: MemoryStore(timeOfDay: timeOfDay))
    }

    private static func niceness() -> Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    private static func thread(of token: UInt64) -> SendingThread { token % 2 == 0 ? .steady(0) : .others }

    private func request(_ token: UInt64, on thread: SendingThread, _ receiver: Receiver) throws -> TransportRequest {
        let url = try WebhookURL(receiver.url, httpsOnly: false)
        return TransportRequest(
            token: token,
            standing: .unknown,
            thread: thread,
            destination: Destination(Endpoint(id: "a", url: url, secrets: SigningSecrets(.generate()))),
            delivery: DueDelivery(id: 1, eventID: "e", topic: "t", body: [])
        )
    }

    @Test("whatever keeps the thread of the others, the attempts at steady endpoints go on")
    func isolation() async throws {
        let receiver = try Receiver()
        let ended = Lock<[UInt64]>([])
        let (own, release) = (Self.niceness(), Semaphore())
        let isHeld = Lock(false)
        // Both threads ask for the time when they begin an attempt.
        let transport = try transport {
            if Self.niceness() > own,
                !isHeld.withLock({ isHeld in
                    defer { isHeld = true }; return isHeld
                })
            {
                _ = release.wait(atMost: .seconds(60))
            }
            return 1_800_000_000_000
        }
        transport.start { results, _ in ended.withLock { $0 += results.map(\.request.token) } }
        transport.submit([try request(0, on: .others, receiver)])
        try await eventually("the thread is kept") { isHeld.withLock { $0 } }
        for token in 1...20 as ClosedRange<UInt64> {
            transport.submit([try request(token, on: Self.thread(of: token), receiver)])
        }
        try await eventually("the steady ones have ended") { ended.withLock { $0.count } >= 10 }
        #expect(ended.withLock { $0.sorted() } == Array(stride(from: 2, through: 20, by: 2)))
        release.signal()
        try await eventually("all have ended") { ended.withLock { $0.count } == 21 }
        await transport.stop()
        receiver.stop()
    }

    @Test("a further thread for steady endpoints makes attempts while the first is kept, which then takes them in")
    func furtherThreads() async throws {
        let receiver = try Receiver()
        let transport = try transport(cores: 3)
        let release = Semaphore()
        let isHeld = Lock(false)
        let ended = Lock<[UInt64]>([])
        transport.start { results, isCalled in
            let holds = isHeld.withLock { isHeld in
                defer { isHeld = true }
                return !isHeld
            }
            if holds { _ = release.wait(atMost: .seconds(60)) }
            ended.withLock { $0 += results.map(\.request.token) }
        }
        transport.call()
        try await eventually("the first is kept") { isHeld.withLock { $0 } }
        for token in 0..<12 as Range<UInt64> {
            transport.submit([try request(token, on: .steady(Int(token % 3)), receiver)])
        }
        try await eventually("those of the others are made") { receiver.requests.count == 8 }
        #expect(ended.withLock { $0.isEmpty })
        release.signal()
        try await eventually("all have ended") { ended.withLock { $0.count } == 12 }
        await transport.stop()
        receiver.stop()
    }

    @Test("what ends on any thread is handed over on the first, each once")
    func handingOver() async throws {
        let receiver = try Receiver()
        let transport = try transport()
        let ended = Lock<[UInt64: Int32]>([:])
        transport.start { results, _ in
            let niceness = Self.niceness()
            for result in results {
                ended.withLock { #expect($0.updateValue(niceness, forKey: result.request.token) == nil) }
            }
        }
        let own = Self.niceness()
        let tokens = 0..<40 as Range<UInt64>
        let threads: [SendingThread] = [.steady(0), .others, .steady(1)]
        for token in tokens { transport.submit([try request(token, on: threads[Int(token % 3)], receiver)]) }
        try await eventually("all have ended") { ended.withLock { $0.count } == tokens.count }
        #expect(ended.withLock { Set($0.values) } == [own])
        await transport.stop()
        receiver.stop()
    }

    @Test("an attempt is given up on whichever thread makes it, and all end with what is under way")
    func aborting() async throws {
        let receiver = try Receiver { _ in .hang }
        let transport = try transport()
        let aborted = Lock<[UInt64]>([])
        transport.start { results, _ in
            for result in results {
                if case .aborted = result.ending { aborted.withLock { $0.append(result.request.token) } }
            }
        }
        let threads: [SendingThread] = [.steady(0), .others, .steady(1), .others]
        transport.submit(try threads.indices.map { try request(UInt64($0), on: threads[$0], receiver) })
        try await eventually("all are under way") { receiver.requests.count == 4 }
        transport.submit(aborting: [0, 1, 2])
        try await eventually("three are given up") { aborted.withLock { $0.sorted() } == [0, 1, 2] }
        await transport.stop()
        #expect(aborted.withLock { $0.sorted() } == [0, 1, 2, 3])
        receiver.stop()
    }

    @Test("all threads but the first stand back behind all others")
    func niceness() async throws {
        let transport = try transport()
        transport.start { _, _ in }
        let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
        try await eventually("it stands back") { niceness(ofThreads: "webhooks-others") == [own + 10] }
        #expect(niceness(ofThreads: "webhooks-more") == [own + 10])
        #expect(niceness(ofThreads: "webhooks") == [own])
        await transport.stop()
    }

    /// What proc(5) says of threads of that name.
    private func niceness(ofThreads name: String) -> [Int32] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return threads.compactMap { thread in
            let text = try? String(contentsOfFile: "/proc/self/task/\(thread)/stat", encoding: .utf8)
            guard let text, let end = text.lastIndex(of: ")"), text[..<end].hasSuffix("(\(name)") else { return nil }
            return Int32(text[end...].split(separator: " ")[17])
        }
    }
}
