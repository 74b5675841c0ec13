import Foundation

@testable import EventLog

/// A log and a model of it, step by step.
struct ModelRun {
    private let directory: TemporaryDirectory
    private let clock = ManualClock()
    private let durability: Durability
    private var random: SplitMix
    private var model: LogModel
    private var log: SQLiteEventLog

    init(seed: UInt64, durability: Durability) throws {
        directory = try TemporaryDirectory()
        self.durability = durability
        random = SplitMix(seed: seed)
        model = LogModel(defaults: Retention(), now: clock.now.milliseconds)
        log = try ModelRun.open(directory.path, durability, Retention(), clock)
    }

    static func open(
        _ directory: String,
        _ durability: Durability,
        _ retention: Retention,
        _ clock: ManualClock
    ) throws -> SQLiteEventLog {
        var limits = SQLiteEventLog.Limits()
        limits.retention = retention
        limits.scannedEvents = 50
        limits.cachedTopics = 4
        return try SQLiteEventLog(at: .directory(directory), durability: durability, limits: limits, manual: clock)
    }

    /// Does one thing.
    /// - Returns: how the log and the model differ; nil if they do not.
    mutating func step() async throws -> String? {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<50:
            let operation = random.operation(changesBounds: true)
            // What is removed depends on when bounds are changed; at rest it does not.
            if case .post = operation {} else { try await settle() }
            return try await differs(operation)
        case 50..<55: return try await postConcurrently()
        case 55..<85: return try await read()
        case 85..<90:
            try await settle()
            return try await differsAtRest()
        case 90..<94:
            try await settle()
            // More than the pause after which all topics are looked at again.
            let hours: Int64 = Int.random(in: 0..<20, using: &random) == 0 ? 25 : 0
            clock.now = clock.now.advanced(
                byMilliseconds: .random(in: 6_000...60_000, using: &random) + hours * 3_600_000
            )
            model.now = clock.now.milliseconds
            model.settle()
            try await log.settle()
            return nil
        case 94..<97 where durability != .memory: return try await reopen()
        default: return try await lookUp()
        }
    }

    func finish() async { await log.close() }

    private mutating func settle() async throws {
        try await log.settle()
        model.settle()
    }

    private mutating func differs(_ operation: Operation) async throws -> String? {
        let outcome = try await operation.perform(on: log)
        let expected = model.apply(operation)
        return outcome == expected ? nil : "\(operation) gave \(outcome), not \(expected)"
    }

    private mutating func differsAtRest() async throws -> String? {
        if let fault = try await log.usageFault() { return fault }
        if let fault = try await model.fault(in: log) { return fault }
        let patterns = (0..<Int.random(in: 1...3, using: &random)).map { _ in random.pattern() }
        let since = clock.now.milliseconds - .random(in: -10...200_000, using: &random)
        return try await model.fault(in: log, patterns, since: since)
    }

    /// Posts at the same time, whose order the log decides.
    private mutating func postConcurrently() async throws -> String? {
        let posts = (0..<Int.random(in: 2...30, using: &random)).map { number in
            Operation.Post(topic: random.topic(), text: "\(number)", key: nil)
        }
        let log = log
        let placed = try await withThrowingTaskGroup(of: (Int64, Operation.Post).self) { group in
            for post in posts {
                group.addTask { (try await log.append([post.draft])[0].position.rawValue, post) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for (position, post) in placed.sorted(by: { $0.0 < $1.0 }) {
            let expected = model.apply(.post([post], condition: nil))
            if expected != .posted([position], isReplay: false) { return "\(post) is at \(position), not \(expected)" }
        }
        return nil
    }

    /// Reads from some position to the end, in pages.
    private mutating func read() async throws -> String? {
        let patterns = (0..<Int.random(in: 0...3, using: &random)).map { _ in random.pattern() }
        // Mostly near the end, as most readers are.
        let span = Bool.random(using: &random) ? model.tail : min(model.tail, 200)
        var position = Position(model.tail + 2 - .random(in: 0...(span + 2), using: &random))
        let limit = Int.random(in: 1...100, using: &random)
        for _ in 0..<20 {
            let page = try await log.read(
                after: position,
                matching: patterns.map(TopicPattern.of),
                limit: limit,
                byteLimit: .random(in: 1...5_000, using: &random)
            )
            if let fault = model.fault(in: page, after: position.rawValue, patterns, limit: limit) {
                return "the page after \(position) of \(patterns): \(fault)"
            }
            position = page.scannedThrough
            if page.isLast { break }
        }
        return nil
    }

    private mutating func lookUp() async throws -> String? {
        try await settle()
        let position = Int64.random(in: 0...(model.tail + 1), using: &random)
        let found = try await log.event(EventID(epoch: log.epoch, position: Position(position)))
        let expected = model.topics.keys.flatMap { model.retained($0) }.first { $0.position == position }
        return found?.position.rawValue == expected?.position && found?.text == expected?.text
            ? nil : "the event at \(position) is \(found.map(\.text) ?? "none"), not \(expected?.text ?? "none")"
    }

    /// Closes the log at whatever it is about, and opens it with other bounds.
    private mutating func reopen() async throws -> String? {
        // Bounds that fall away before they were applied leave what they would have removed.
        try await settle()
        let epoch = log.epoch
        await log.close()
        let report = try SQLiteEventLog.check(directory: directory.path)
        if !report.isSound { return "the closed log: \(report.findings)" }
        model.defaults = Bool.random(using: &random) ? random.retention() ?? Retention() : Retention()
        log = try ModelRun.open(directory.path, durability, model.defaults, clock)
        if log.epoch != epoch { return "the log has become another one" }
        try await settle()
        return try await differsAtRest()
    }
}

extension ModelRun {
    /// Has another process work on the log until it is killed.
    mutating func stepWithKill() async throws -> String? {
        try await settle()
        await log.close()
        let seed = random.next()
        let now = clock.now.milliseconds
        try await KilledLog.run(in: directory.path, seed: seed, defaults: model.defaults, now: now)
        var source = SplitMix(seed: seed)
        for line in try KilledLog.acknowledged(in: directory.path) {
            let expected = model.apply(source.operation(changesBounds: false))
            if expected.description != line { return "the log said \(line), not \(expected)" }
        }
        let report = try SQLiteEventLog.check(directory: directory.path)
        if !report.isSound { return "the log that was killed: \(report.findings)" }
        log = try ModelRun.open(directory.path, durability, model.defaults, clock)
        // One more may have been carried out, but not its acknowledgement.
        var done = model
        _ = done.apply(source.operation(changesBounds: false))
        done.settle()
        try await settle()
        if try await done.fault(in: log) == nil { model = done }
        if let fault = try await differsAtRest() { return fault }
        return try await step()
    }
}
