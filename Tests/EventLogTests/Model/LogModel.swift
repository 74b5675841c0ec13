import EventLog

/// What a log does, in the simplest way there is.
struct LogModel {
    /// An event that was committed.
    struct Stored {
        let position: Int64
        let topic: String
        let text: String
        let time: Int64
    }

    struct Key: Hashable {
        let topic: String
        let text: String
    }

    struct Use {
        let fingerprint: [UInt8]
        let position: Int64
        let time: Int64
    }

    /// A topic's bounds, and what it has lost.
    struct Topic {
        var retention: Retention?
        /// What it has, and what may be gone or not, in order.
        var events: ArraySlice<Stored> = []
        /// The newest it ever had.
        var last: Int64 = 0
        /// Everything up to here must be gone when the log is at rest, and may be before.
        var removed: Int64 = 0
        /// Everything up to here is gone for certain.
        var certainlyRemoved: Int64 = 0
        /// Keys of events up to here are forgotten.
        var forgotten: Int64 = 0
    }

    private(set) var topics: [String: Topic] = [:]
    private(set) var tail: Int64 = 0
    var defaults: Retention
    var now: Int64
    private var keys: [Key: Use] = [:]

    init(defaults: Retention, now: Int64) {
        self.defaults = defaults
        self.now = now
    }

    /// The events of a topic that a log at rest has.
    func retained(_ topic: String) -> ArraySlice<Stored> { topics[topic]?.retained ?? [] }

    /// Carries out an operation.
    mutating func apply(_ operation: Operation) -> Outcome {
        defer { trim() }
        switch operation {
        case .post(let posts, let condition): return post(posts, condition)
        case .bound(let topic, let retention):
            topics[topic, default: Topic()].retention = (retention?.isUnbounded ?? true) ? nil : retention
            return .done
        case .delete(let topic):
            let existed = !retained(topic).isEmpty || topics[topic]?.retention != nil
            if existed {
                topics[topic]?.retention = nil
                topics[topic]?.loseAll()
            }
            return .deleted(existed)
        }
    }

    /// The log has come to rest: what may be gone is gone.
    mutating func settle() {
        trim()
        for topic in topics.keys { topics[topic]?.settle() }
    }

    private mutating func post(_ posts: [Operation.Post], _ condition: Operation.Condition?) -> Outcome {
        var replays: [Int: Int64] = [:]
        var fingerprints: [Key: [UInt8]] = [:]
        for (place, post) in posts.enumerated() {
            guard let text = post.key else { continue }
            let key = Key(topic: post.topic, text: text)
            if let use = use(of: key) {
                fingerprints[key] = use.fingerprint
                replays[place] = use.position
            }
            if fingerprints[key, default: post.fingerprint] != post.fingerprint {
                return .refused(.idempotencyConflict)
            }
            fingerprints[key] = post.fingerprint
        }
        if !posts.isEmpty, replays.count == posts.count {
            return .posted(posts.indices.compactMap { replays[$0] }, isReplay: true)
        }
        if let topic = posts.first?.topic {
            let hasEvent = !retained(topic).isEmpty
            switch condition {
            case .hasNone where hasEvent: return .refused(.valueChanged)
            case .hasEvent where !hasEvent, .isNewest where !hasEvent, .isOther:
                return .refused(.valueChanged)
            default: break
            }
        }
        var written: [Key: Int64] = [:]
        let positions = posts.enumerated().map { place, post in
            if let replay = replays[place] { return replay }
            let key = post.key.map { Key(topic: post.topic, text: $0) }
            if let key, let earlier = written[key] { return earlier }
            tail += 1
            topics[post.topic, default: Topic()].add(
                Stored(position: tail, topic: post.topic, text: post.text, time: now)
            )
            if let key {
                written[key] = tail
                keys[key] = Use(fingerprint: post.fingerprint, position: tail, time: now)
            }
            return tail
        }
        return .posted(positions, isReplay: false)
    }

    private func use(of key: Key) -> Use? {
        guard let use = keys[key], use.time > now - IdempotencyKey.lifetime,
            use.position > topics[key.topic]?.forgotten ?? 0
        else { return nil }
        return use
    }

    /// Removes what is too much or too old.
    private mutating func trim() {
        for name in topics.keys { topics[name]?.trim(defaults, now: now) }
    }
}

extension LogModel.Topic {
    /// What it has when the log is at rest.
    var retained: ArraySlice<LogModel.Stored> { events.drop { $0.position <= removed } }

    mutating func add(_ event: LogModel.Stored) {
        events.append(event)
        last = event.position
    }

    mutating func loseAll() {
        (removed, forgotten) = (last, last)
        settle()
    }

    mutating func settle() {
        certainlyRemoved = removed
        events = ArraySlice(Array(retained))
    }

    mutating func trim(_ defaults: Retention, now: Int64) {
        var held = retained
        let age = retention?.age ?? defaults.age
        let most = retention?.events ?? defaults.events ?? .max
        let mostBytes = retention?.bytes ?? defaults.bytes ?? .max
        var bytes = held.reduce(0) { $0 + Int64($1.text.utf8.count) }
        while let oldest = held.first {
            let isTooMuch = held.count > 1 && (Int64(held.count) > most || bytes > mostBytes)
            guard isTooMuch || age.map({ oldest.time < now - $0 }) ?? false else { break }
            bytes -= Int64(oldest.text.utf8.count)
            removed = oldest.position
            held.removeFirst()
        }
    }
}
