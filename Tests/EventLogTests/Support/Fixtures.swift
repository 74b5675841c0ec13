import Locking
import EventLog

extension Topic {
    /// A name that the test knows to be legal.
    static func of(_ name: String) -> Topic {
        do { return try Topic(name) } catch { preconditionFailure("\(name): \(error)") }
    }
}

extension TopicPattern {
    /// A text that the test knows to be legal.
    static func of(_ text: String) -> TopicPattern {
        do { return try TopicPattern(text) } catch { preconditionFailure("\(text): \(error)") }
    }
}

extension EventDraft {
    /// A draft with a text as data.
    static func of(_ topic: String, _ text: String = "", type: String? = nil) -> EventDraft {
        EventDraft(topic: .of(topic), type: type, contentType: "text/plain", data: Array(text.utf8))
    }
}

extension Event {
    /// The data as text.
    var text: String { String(decoding: data, as: UTF8.self) }
}

/// The code of the error that a piece of work throws; nil if it throws none.
func code<Value>(of work: () async throws(EventLogError) -> Value) async -> EventLogError.Code? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error.code
    }
}

/// A clock that stands until time passes or it is set.
final class ManualClock: Sendable {
    private let state: Lock<(time: Timestamp, elapsed: Duration)>

    init(_ time: Timestamp = Timestamp(milliseconds: 1_795_000_000_000)) {
        state = Lock((time, .zero))
    }

    /// What it says; to assign to it has time pass.
    var now: Timestamp {
        get { state.withLock { $0.time } }
        set {
            state.withLock { state in
                state.elapsed += .milliseconds(newValue.milliseconds - state.time.milliseconds)
                state.time = newValue
            }
        }
    }

    /// How long ago it was made.
    var elapsed: Duration { state.withLock { $0.elapsed } }

    /// Is set by somebody, while no time passes.
    func step(byMilliseconds distance: Int64) {
        state.withLock { $0.time = $0.time.advanced(byMilliseconds: distance) }
    }
}

extension SQLiteEventLog {
    /// Opens a log for which only that clock's time passes.
    convenience init(
        at storage: Storage,
        durability: Durability,
        limits: Limits = Limits(),
        manual clock: ManualClock
    ) throws(EventLogError) {
        try self.init(
            at: storage,
            durability: durability,
            limits: limits,
            clock: { clock.now },
            elapsed: { clock.elapsed }
        )
    }
}

/// Keeps what several threads add to it, in the order of adding.
final class Record<Element: Sendable>: Sendable {
    private let elements = Lock<[Element]>([])

    func add(_ element: Element) { elements.withLock { $0.append(element) } }

    var all: [Element] { elements.withLock { $0 } }
}
