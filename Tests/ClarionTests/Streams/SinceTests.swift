import Webhooks
import EventLog
import MicroHTTP
import Testing

@testable import Clarion

@Suite struct SinceTests {
    private let now = Timestamp(milliseconds: 1_795_000_000_000)

    @Test func `names, times and durations`() throws {
        #expect(try Since("latest", now: now) == .latest)
        #expect(try Since("earliest", now: now) == .earliest)
        #expect(try Since("last", now: now) == .last)
        #expect(try Since("10m", now: now) == .moment(now.advanced(byMilliseconds: -600_000)))
        #expect(try Since("1h30m", now: now) == .moment(now.advanced(byMilliseconds: -5_400_000)))
        #expect(try Since("0s", now: now) == .moment(now))
        let moment = Since.moment(Timestamp(milliseconds: 1_000))
        for text in [
            "1970-01-01T00:00:01Z", "1970-01-01T00:00:01.000z", "1970-01-01T01:00:01+01:00",
            "1970-01-01T01:00:01 01:00",
            "1969-12-31T23:00:01-01:00",
        ] {
            #expect(try Since(text, now: now) == moment, "\(text)")
        }
    }

    @Test(arguments: [
        "", "whenever", "Latest", "LAST", "last ", "10", "-10m", "10x", "1m1h", "36501d", "2026-11-20", "1700000000",
        "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-11-20T23:19:00", "2026-11-20T25:19:00Z",
        "2026-11-20 23:19:00Z",
    ])
    func `anything else is refused`(text: String) {
        let problem = #expect(throws: Problem.self) { try Since(text, now: now) }
        #expect(problem?.code == "since-invalid")
        #expect(problem?.parameter == "since")
        #expect(problem?.status.code == 400)
    }

    private func since(_ query: String) throws -> Since? {
        try Since(try Target("/x?\(query)").query, now: now)
    }

    @Test func `a number of the newest events`() throws {
        #expect(try since("") == nil)
        #expect(try since("since=earliest") == .earliest)
        #expect(try since("last=1") == .newest(1))
        #expect(try since("last=1000") == .newest(1000))
    }

    @Test(arguments: [
        "last=", "last", "last=0", "last=1001", "last=-1", "last=+1", "last=%2B1", "last=1.0", "last=1e2",
        "last=99999999999999999999", "last=%D9%A5", "last=1&since=earliest",
    ])
    func `no such number, or one beside since, is refused`(query: String) {
        let problem = #expect(throws: Problem.self) { try since(query) }
        #expect(problem?.code == "parameter-invalid")
        #expect(problem?.parameter == "last")
    }

    @Test func `a duration that reaches back before the first year begins there`() throws {
        let early = Timestamp(milliseconds: Timestamp.earliest.milliseconds + 5)
        #expect(try Since("1h", now: early) == .moment(.earliest))
    }

    @Test func `positions in a log`() async throws {
        let log = try SQLiteEventLog(at: .inMemory, durability: .memory)
        func position(_ since: Since, _ patterns: String...) async throws -> Int64 {
            try await log.position(of: since, for: patterns.map { try TopicPattern($0) }).rawValue
        }
        func draft(_ topic: String) throws -> EventDraft { EventDraft(topic: try Topic(topic), data: []) }
        #expect(try await position(.last, "a") == 0)
        try await log.append([draft("a"), draft("b.x"), draft("a"), draft("b.y"), draft("c")])
        #expect(try await position(.latest, "a") == 5)
        #expect(try await position(.earliest, "a") == 0)
        // Just before the newest.
        #expect(try await position(.last, "a") == 2)
        #expect(try await position(.last, "a", "b.x") == 2)
        #expect(try await position(.last, "b.*") == 3)
        #expect(try await position(.last, "**") == 4)
        #expect(try await position(.last, "none", "none.**") == 5)
        #expect(try await position(.newest(2), "a") == 0)
        #expect(try await position(.newest(1), "b.*", "c") == 4)
        #expect(try await position(.newest(9), "b.*") == 1)
        #expect(try await position(.newest(9), "none", "none.**") == 5)
        #expect(try await position(.moment(.earliest), "a") == 0)
        #expect(try await position(.moment(.latest), "a") == 5)
        await log.close()
    }
}
