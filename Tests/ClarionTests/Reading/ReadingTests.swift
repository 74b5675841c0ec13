import MicroHTTP
import Dispatch
import EventLog
import Locking
import Testing

@testable import Clarion

/// A program that reads the log: pages, sequences, and objects that begin in the past.
@Suite(.serialized) struct ReadingTests {
    private final class Listener: LifetimeOwner, Sendable {
        let lifetime = Lifetime()
        let heard = Recorder<Event>()
    }

    private static func read(_ count: Int, of sequence: EventSequence) async throws -> [Event] {
        var events: [Event] = []
        var iterator = sequence.makeAsyncIterator()
        while events.count < count, let event = try await iterator.next() { events.append(event) }
        return events
    }

    @Test func historyIsReadFromEveryKindOfPlace() async throws {
        try await withHub { hub in
            var events: [Event] = []
            for number in 0..<5 { events.append(try await hub.post("\(number)", to: "a.\(number % 2)")) }
            #expect(try await hub.history("a.*") == events)
            #expect(try await hub.history("a.0").map(\.text) == ["0", "2", "4"])
            #expect(try await hub.history("a.*", from: .newest(2)) == Array(events.suffix(2)))
            #expect(try await hub.history("a.*", from: .newest(.min)) == Array(events.suffix(1)))
            #expect(try await hub.history("a.*", from: .after(events[1].id), limit: 2) == Array(events[2..<4]))
            #expect(try await hub.history("a.*", from: .after(events[4].id), limit: .max) == [])
            #expect(try await hub.history("a.*", from: .since(events[0].time)) == events)
            #expect(try await hub.history("a.*", from: .latest) == [])
            #expect(try await hub.value(of: "a.1") == events[3])
            #expect(try await hub.value(of: "a.2") == nil)
            await #expect(throws: HubError.self) { try await hub.history("a*b") }
        }
    }

    /// A page cannot say that it begins elsewhere: who goes on page by page would take it for what comes next.
    @Test func historyAfterAnEventThatThisLogNeverHadIsRefused() async throws {
        try await withHub { hub in
            let event = try await hub.post("1", to: "a")
            let foreign = try #require(LogEpoch(String(repeating: "a", count: hub.log.epoch.description.count)))
            let ids = [
                EventID(epoch: foreign, position: event.position),
                EventID(epoch: event.id.epoch, position: Position(99)),
                EventID(epoch: event.id.epoch, position: Position(.max)),
            ]
            for id in ids {
                let error = await #expect(throws: HubError.self) { try await hub.history("a", from: .after(id)) }
                #expect(error?.code == "parameter-invalid")
                #expect(try await TestAnswer.to("GET", "/topics/a/events?after=\(id)", of: hub).status == 400)
            }
            try await hub.deleteTopic("a")
            #expect(try await hub.history("a", from: .after(event.id)) == [])
        }
    }

    /// Four post while others begin to read, at different times: each must have every event once, in the log's order.
    @Test func whoBeginsWhileOthersPostGetsEveryEventOnceAndInOrder() async throws {
        try await withHub { hub in
            let count = 400
            let listeners = (0..<8).map { _ in Listener() }
            try await withThrowingTaskGroup(of: [Event].self) { group in
                for poster in 0..<4 {
                    group.addTask {
                        for number in 0..<count / 4 { try await hub.post("\(number)", to: "a.\(poster)") }
                        return []
                    }
                }
                for reader in 0..<8 {
                    group.addTask {
                        for _ in 0..<reader * 10 { await Task.yield() }
                        return try await Self.read(count, of: try hub.events("a.*", "a.1", from: .earliest))
                    }
                }
                for (place, listener) in listeners.enumerated() {
                    let delivery: [Delivery] = [.immediate, .background, .queue(DispatchQueue(label: "test"))]
                    try hub.observe("a.*", owner: listener, from: .earliest, deliver: delivery[place % 3]) {
                        $0.heard.add($1)
                    }
                }
                var read: [[Event]] = []
                for try await events in group where !events.isEmpty { read.append(events) }
                let stored = try await hub.stored()
                #expect(stored.count == count && read.count == 8)
                #expect(read.allSatisfy { $0 == stored })
                for listener in listeners {
                    try await eventually { listener.heard.all.count >= count }
                    #expect(listener.heard.all == stored)
                }
            }
        }
    }

    @Test func anObjectGoesOnAfterWhatItHandledBefore() async throws {
        try await withHub { hub in
            var ids: [EventID] = []
            for number in 0..<1_200 { ids.append(try await hub.post("\(number)", to: "a").id) }
            let listener = Listener()
            try hub.observe("a", owner: listener, from: .after(ids[99])) { $0.heard.add($1) }
            try await eventually { listener.heard.all.count == 1_100 }
            try await hub.post("live", to: "a")
            try await eventually { listener.heard.all.count == 1_101 }
            #expect(listener.heard.all.map(\.text) == (100..<1_200).map(String.init) + ["live"])
        }
    }

    /// Nothing but a page is read ahead for one that is slow.
    @Test func whoIsSlowIsHandedNoMoreThanAPage() async throws {
        try await withHub { hub in
            for number in 0..<2_000 { try await hub.post("\(number)", to: "a") }
            let queue = DispatchQueue(label: "slow")
            let gate = DispatchSemaphore(value: 0)
            queue.async { gate.wait() }
            let listener = Listener()
            try hub.observe("a", owner: listener, from: .earliest, deliver: .queue(queue)) { $0.heard.add($1) }
            let feed = try #require(hub.directory.all().first as? EventFeed)
            try await eventually { feed.pagesRead == 1 }
            for _ in 0..<1_000 { await Task.yield() }
            #expect(feed.pagesRead == 1)
            gate.signal()
            try await eventually { listener.heard.all.count == 2_000 }
        }
    }

    @Test func whatIsGoneIsToldOfOnce() async throws {
        try await withHub { hub in
            let gaps = Recorder<HistoryGap>()
            let first = try await hub.post("1", to: "a").id
            try await hub.deleteTopic("a")
            try await hub.post("2", to: "a")
            let sequence = try hub.events("a", from: .after(first)) { gaps.add($0) }
            // The event before which it happened was had.
            #expect(try await Self.read(1, of: sequence).map(\.text) == ["2"])
            #expect(gaps.all.isEmpty)
            let foreign = EventID(
                epoch: try #require(LogEpoch(String(repeating: "a", count: hub.log.epoch.description.count))),
                position: Position(7)
            )
            let other = try hub.events("a", from: .after(foreign)) { gaps.add($0) }
            #expect(try await Self.read(1, of: other).map(\.text) == ["2"])
            #expect(gaps.all == [HistoryGap(after: foreign.description, reason: .unknownID)])
        }
    }

    /// A reader that is slow to ask first, as one is whose task has no thread yet, misses nothing of what came after it began.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            HistoryStart.latest, .newest(1), .since(Timestamp(milliseconds: .max / 2)),
        ]
    )
    func whatIsPostedBeforeTheFirstPageIsReadIsHeardOnce(start: HistoryStart) async throws {
        try await withHub { hub in
            try await hub.post("old", to: "a")
            var iterator = try hub.events("a", from: start).makeAsyncIterator()
            for number in 0..<3 { try await hub.post("\(number)", to: "a") }
            var read: [String] = []
            // With what came after the first page, so that it does not wait for ever.
            for number in 0..<4 {
                if number == 3 { try await hub.post("3", to: "a") }
                read.append(try #require(try await iterator.next()).text)
            }
            #expect(read == ["0", "1", "2", "3"])
        }
    }

    @Test func anObjectThatBeginsWithWhatComesNextHearsTheVeryNextPost() async throws {
        try await withHub { hub in
            for number in 0..<100 {
                let listener = Listener()
                try hub.observe("a", owner: listener, from: .latest, deliver: .background) { $0.heard.add($1) }
                let posted = try await hub.post("\(number)", to: "a")
                try await eventually { !listener.heard.all.isEmpty }
                #expect(listener.heard.all == [posted])
            }
        }
    }

    /// A gauge that returns to zero: nobody is listed any more when readers end, in any of the ways they may.
    @Test func whoEndsIsNotListedAnyMore() async throws {
        try await withHub { hub in
            func count() -> Int { hub.directory.all().count }
            do {
                var iterator = try hub.events("a", from: .earliest).makeAsyncIterator()
                try await hub.post("1", to: "a")
                #expect(try await iterator.next()?.text == "1")
                #expect(count() == 1)
            }
            try await eventually { count() == 0 }

            let task = Task { for try await _ in try hub.events("a") {} }
            try await eventually { count() == 1 }
            task.cancel()
            try await task.value
            try await eventually { count() == 0 }

            // Kept though it was cancelled.
            let isKept = Lock(true)
            let keeping = Task {
                var iterator = try hub.events("a").makeAsyncIterator()
                _ = try await iterator.next()
                while isKept.withLock({ $0 }) { await Task.yield() }
                _ = try await iterator.next()
            }
            try await eventually { count() == 1 }
            keeping.cancel()
            try await eventually { count() == 0 }
            isKept.withLock { $0 = false }
            try await keeping.value

            do {
                let listener = Listener()
                try hub.observe("a", owner: listener, from: .latest) { $0.heard.add($1) }
                #expect(count() == 1)
            }
            try await eventually { count() == 0 }

            do {
                final class Forgetful: Sendable {}
                let owner = Forgetful()
                try hub.observe("a", owner: owner, from: .latest) { _, _ in }
                #expect(count() == 1)
            }
            try await eventually { count() == 0 }

            let listener = Listener()
            try hub.observe("a", owner: listener, from: .latest) { $0.heard.add($1) }
            hub.removeObserver(listener)
            try await eventually { count() == 0 }

            try hub.observe("a", owner: listener, from: .latest) { $0.heard.add($1) }
            let id = try #require(hub.directory.all().first?.id.description)
            #expect(try await TestAnswer.to("DELETE", "/observers/\(id)", of: hub).status == 204)
            try await hub.post("2", to: "a")
            #expect(count() == 0 && listener.heard.all.isEmpty)
        }
    }

    @Test func aSequenceEndsWithTheHub() async throws {
        let ended = Recorder<Bool>()
        try await withHub { hub in
            let sequence = try hub.events("a")
            Task {
                for try await _ in sequence {}
                ended.add(true)
            }
            try await eventually { hub.directory.all().count == 1 }
        }
        try await eventually { ended.all == [true] }
    }
}
