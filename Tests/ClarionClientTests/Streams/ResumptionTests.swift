import Testing

@testable import ClarionClient

/// Where a stream goes on, and when.
@Suite("Resuming")
struct ResumptionTests {
    private let lost = ClientError(code: ClientError.interrupted, detail: "")
    private let unreachable = ClientError(code: ClientError.unreachable, detail: "")

    private let untrusted = ClientError(code: ClientError.untrusted, detail: "")

    private func refused(_ status: Int, isOfHub: Bool, after: Duration? = nil) -> ClientError {
        ClientError(code: "x", detail: "", status: status, retryAfter: after, isOfHub: isOfHub)
    }

    @Test("the first connection must be made")
    func first() {
        for error in [lost, unreachable, untrusted, refused(503, isOfHub: false), refused(401, isOfHub: true)] {
            var resumption = Resumption(.latest)
            #expect(resumption.ended(error, jitter: 0) == .fail(error))
        }
    }

    @Test("before the first event it goes on where the stream began, after it behind the newest")
    func position() {
        var resumption = Resumption(.since("10m"))
        #expect(resumption.next == .since("10m"))
        resumption.connected(after: "a-1")
        #expect(resumption.next == .after("a-1"))
        resumption.passed("a-2")
        resumption.connected(after: "a-2")
        #expect(resumption.next == .after("a-2"))
        resumption.passed("")
        #expect(resumption.next == .after("a-2"))
    }

    @Test("the earliest event stays that: a position before it would make a gap")
    func earliest() {
        var resumption = Resumption(.earliest)
        resumption.connected(after: "a-0")
        #expect(resumption.next == .earliest)
        resumption.passed("a-7")
        #expect(resumption.next == .after("a-7"))
    }

    @Test("a position that is asked for is not forgotten for one that a hub of another log gives")
    func asked() {
        var resumption = Resumption(.after("a-5"))
        resumption.connected(after: nil)
        #expect(resumption.next == .after("a-5"))
    }

    @Test("it waits as long as the hub says, within bounds")
    func retry() {
        for (said, waited) in [(40, 40), (0, 10), (Int64.max, 3_600_000), (5000, 5000)] as [(Int64, Int64)] {
            var resumption = Resumption(.latest)
            resumption.connected(after: nil)
            resumption.retry(milliseconds: said)
            #expect(resumption.ended(nil, jitter: 1) == .again(after: .milliseconds(waited)))
            #expect(resumption.ended(lost, jitter: 1) == .again(after: .milliseconds(waited)))
        }
    }

    @Test("without events between them it comes ever later, up to a second, however short a wait the hub wishes")
    func eventless() {
        var resumption = Resumption(.latest)
        func waits(_ count: Int, _ retry: Int64, of resumption: inout Resumption) -> [Resumption.Step] {
            (0..<count).map { _ in
                resumption.connected(after: nil)
                resumption.retry(milliseconds: retry)
                return resumption.ended(nil, jitter: 0)
            }
        }
        let doubling = [10, 20, 40, 80, 160, 320, 640, 1000, 1000]
        #expect(waits(9, 0, of: &resumption) == doubling.map { .again(after: .milliseconds($0)) })
        #expect(waits(2, 5000, of: &resumption) == [5, 5].map { .again(after: .seconds($0)) })
        resumption.passed("a-1")
        #expect(waits(3, 25, of: &resumption) == [25, 25, 40].map { .again(after: .milliseconds($0)) })
    }

    @Test("a hub that stays away is asked ever less often, up to a bound, and soon again when it was back")
    func backoff() {
        var resumption = Resumption(.latest)
        resumption.connected(after: nil)
        let waits = (0..<100).map { _ in resumption.ended(unreachable, jitter: 0) }
        #expect(waits.prefix(5) == [3, 6, 12, 24, 30].map { .again(after: .seconds($0)) }[...])
        #expect(waits.last == .again(after: .seconds(30)))
        resumption.connected(after: nil)
        #expect(resumption.ended(unreachable, jitter: 0) == .again(after: .seconds(3)))
    }

    @Test("what a proxy says passes, what the hub itself refuses does not")
    func refusals() {
        for status in [404, 502, 503, 504, 400, 403] {
            var resumption = Resumption(.latest)
            resumption.connected(after: nil)
            #expect(resumption.ended(refused(status, isOfHub: false), jitter: 0) == .again(after: .seconds(3)))
        }
        for status in [400, 401, 403, 404, 421] {
            var resumption = Resumption(.latest)
            resumption.connected(after: nil)
            let error = refused(status, isOfHub: true)
            #expect(resumption.ended(error, jitter: 0) == .fail(error))
        }
        for status in [429, 503, 500] {
            var resumption = Resumption(.latest)
            resumption.connected(after: nil)
            let step = resumption.ended(refused(status, isOfHub: true, after: .seconds(60)), jitter: 0)
            #expect(step == .again(after: .seconds(60)))
        }
    }

    @Test("a certificate that is trusted no more may be renewed, or be somebody else's on the way")
    func certificates() {
        var resumption = Resumption(.latest)
        resumption.connected(after: nil)
        let waits = (0..<3).map { _ in resumption.ended(untrusted, jitter: 0) }
        #expect(waits == [3, 6, 12].map { .again(after: .seconds($0)) })
        #expect(!untrusted.isPassing && unreachable.isPassing)
    }

    @Test("an event that cannot be read ends it the third time, wherever else connections end, unless others come")
    func unreadable() {
        let error = ClientError(code: ClientError.answerUnreadable, detail: "")
        var resumption = Resumption(.earliest)
        resumption.connected(after: nil)
        for wait in [3, 6] as [Int64] {
            // The last is no stream: something else answers in the hub's place.
            for other in [lost, unreachable, error] { _ = resumption.ended(other, jitter: 0) }
            resumption.connected(after: nil)
            resumption.passed("")
            #expect(resumption.ended(error, jitter: 0) == .again(after: .seconds(wait)))
        }
        var other = resumption
        resumption.connected(after: nil)
        #expect(resumption.ended(error, jitter: 0) == .fail(error))
        other.connected(after: nil)
        other.passed("a-1")
        #expect(other.ended(error, jitter: 0) == .again(after: .seconds(3)))
    }

    @Test("faults of this side end it")
    func finals() {
        let error = ClientError(code: ClientError.eventTooLarge, detail: "")
        var resumption = Resumption(.latest)
        resumption.connected(after: nil)
        #expect(resumption.ended(error, jitter: 0) == .fail(error))
    }
}

/// What was shown is not shown again.
@Suite("Recent events")
struct RecentEventsTests {
    private func event(_ number: Int, time: String = "t") throws -> ClarionClient.Event {
        let json = #"{"id":"e-\#(number)","topic":"a","type":null,"time":"\#(time)","contentType":null,"data":"x"}"#
        return try #require(ClarionClient.Event(json: Array(json.utf8)))
    }

    @Test("an event is new once, and as many are known as fit")
    func once() throws {
        var recent = RecentEvents(capacity: 3)
        for number in 1...5 { #expect(recent.insert(try event(number))) }
        for number in 3...5 { #expect(!recent.insert(try event(number))) }
        #expect(recent.insert(try event(1)), "long forgotten")
    }

    @Test("an id that a log gives out again is another event's")
    func restored() throws {
        var recent = RecentEvents()
        #expect(recent.insert(try event(1)))
        #expect(recent.insert(try event(1, time: "later")))
    }
}
