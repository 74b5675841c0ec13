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
func code<Value>(of work: () async throws(EventLogError) -> Value) async -> String? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error.code
    }
}

/// A clock that stands until it is set.
final class ManualClock: Sendable {
    private let time: Lock<Timestamp>

    init(_ time: Timestamp = Timestamp(milliseconds: 1_795_000_000_000)) {
        self.time = Lock(time)
    }

    var now: Timestamp {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
}

/// Keeps what several threads add to it, in the order of adding.
final class Record<Element: Sendable>: Sendable {
    private let elements = Lock<[Element]>([])

    func add(_ element: Element) { elements.withLock { $0.append(element) } }

    var all: [Element] { elements.withLock { $0 } }
}
