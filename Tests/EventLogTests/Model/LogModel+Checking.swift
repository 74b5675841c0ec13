import EventLog

extension LogModel {
    private func matching(_ patterns: [String]) -> [String] {
        topics.keys.filter { name in patterns.contains { naiveMatch($0, name) } }
    }

    /// What is wrong with a page; nil if nothing is.
    func fault(in page: EventPage, after position: Int64, _ patterns: [String], limit: Int) -> String? {
        let names = Set(matching(patterns))
        if page.events.count > limit { return "it has more events than its limit" }
        if page.tail.rawValue != max(tail, position) { return "its tail is \(page.tail)" }
        let end = page.scannedThrough.rawValue
        if end <= position, !page.isLast { return "it does not go on" }
        let found = page.events.map(\.position.rawValue)
        if found != found.sorted() || Set(found).count != found.count { return "it is out of order" }
        var isSomethingMissing = false
        let stored = names.flatMap { topics[$0]?.events ?? [] }
        let expected = stored.filter { $0.position > position && $0.position <= end }
            .sorted { $0.position < $1.position }
        let byPosition = Dictionary(uniqueKeysWithValues: expected.map { ($0.position, $0) })
        let present = Set(found)
        for event in page.events {
            guard let stored = byPosition[event.position.rawValue] else {
                return "it has \(event.id), which does not match or is gone"
            }
            if stored.topic != event.topic.name || stored.text != event.text || stored.time != event.time.milliseconds {
                return "\(event.id) is another event"
            }
            if stored.position <= topics[stored.topic]?.certainlyRemoved ?? 0 {
                return "it has \(event.id), which is gone"
            }
        }
        for stored in expected where !present.contains(stored.position) {
            if stored.position > topics[stored.topic]?.removed ?? 0 { return "it lacks \(stored.position)" }
            isSomethingMissing = true
            if page.events.contains(where: { $0.topic.name == stored.topic && $0.position.rawValue < stored.position })
            {
                return "it lacks \(stored.position), but has an older event of that topic"
            }
        }
        let mustHaveGap = isSomethingMissing || names.contains { topics[$0]?.certainlyRemoved ?? 0 > position }
        let mayHaveGap = names.contains { topics[$0]?.removed ?? 0 > position }
        if mustHaveGap, !page.hasGap { return "it says nothing of a gap" }
        if !mayHaveGap, page.hasGap { return "it says that there is a gap" }
        return nil
    }

    /// What is wrong with a log that is at rest; nil if nothing is.
    func fault(in log: any CompleteLog) async throws -> String? {
        if log.tail.rawValue != tail { return "the tail is \(log.tail) instead of \(tail)" }
        let listed = try await log.topics(prefix: "", after: nil, limit: 100)
        let expected = topics.keys.filter { !retained($0).isEmpty || topics[$0]?.retention != nil }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        if listed.map(\.topic.name) != expected { return "the topics are \(listed.map(\.topic.name)), not \(expected)" }
        for summary in listed {
            let held = retained(summary.topic.name)
            let bytes = held.reduce(0) { $0 + Int64($1.text.utf8.count) }
            if summary.events != held.count || summary.bytes != bytes
                || summary.first?.position.rawValue != held.first?.position
                || summary.last?.position.rawValue != held.last?.position
                || summary.retention != topics[summary.topic.name]?.retention
            {
                return "\(summary) is not \(held.count) events of \(bytes) bytes"
            }
            let last = try await log.lastEvent(of: summary.topic)
            if last?.position.rawValue != held.last?.position { return "the newest of \(summary.topic) is wrong" }
        }
        return nil
    }

    /// What is wrong with lookups by patterns and by time in a log that is at rest; nil if nothing is.
    func fault(in log: any CompleteLog, _ patterns: [String], since time: Int64) async throws -> String? {
        let names = matching(patterns)
        let held = names.flatMap { retained($0) }.map(\.position)
        let ones = patterns.map { TopicPattern.of($0) }
        let earliest = try await earliest(in: log, ones)
        if earliest != held.min() { return "the earliest of \(patterns) is \(earliest ?? 0), not \(held.min() ?? 0)" }
        let newest = try await log.newest(matching: ones)?.rawValue
        if newest != held.max() { return "the newest of \(patterns) is \(newest ?? 0), not \(held.max() ?? 0)" }
        for count in [1, 2, held.count + 1] {
            let before = try await log.position(beforeNewest: count, matching: ones, types: []).rawValue
            let expected = held.sorted().suffix(count).first.map { $0 - 1 } ?? tail
            if before != expected { return "the position before the newest \(count) of \(patterns) is \(before)" }
        }
        let found = try await log.position(since: Timestamp(milliseconds: time)).rawValue
        let all = topics.keys.flatMap { retained($0) }.sorted { $0.position < $1.position }
        let first = all.first { $0.time >= time }?.position
        let before = all.last { $0.time < time }?.position ?? 0
        // Also what is gone has a place in the sequence.
        if found < before || found >= first ?? .max || (first == nil && found != tail) {
            return "the position since \(time) is \(found), not from \(before) to before \(first ?? tail + 1)"
        }
        return nil
    }

    /// The position of the oldest event that any of the patterns matches.
    private func earliest(in log: any CompleteLog, _ patterns: [TopicPattern]) async throws -> Int64? {
        var position = Position.start
        while true {
            let page = try await log.read(after: position, matching: patterns, limit: 1, byteLimit: .max)
            if let event = page.events.first { return event.position.rawValue }
            if page.isLast { return nil }
            position = page.scannedThrough
        }
    }
}
