import Hummingbird
import NIOCore
import Synchronization

/// Who listens to what. Events are numbered and handed out under one lock, so that every stream hears them in one order.
final class Hub: Sendable {
    private struct State {
        var events = 0
        var streams = 0
        var listeners: [String: [ObjectIdentifier: Outbox]] = [:]
    }

    private let state = Mutex(State())

    var streams: Int { state.withLock { $0.streams } }

    /// The number of the event.
    func post(_ data: ByteBuffer, to topic: String) -> Int {
        state.withLock { state in
            state.events += 1
            var frame = ByteBuffer()
            frame.writeString("id: \(state.events)\ndata: ")
            frame.writeImmutableBuffer(data)
            frame.writeString("\n\n")
            for outbox in state.listeners[topic, default: [:]].values { outbox.append(frame.readableBytesView) }
            return state.events
        }
    }

    func add(_ outbox: Outbox, to topic: String) {
        state.withLock { state in
            state.streams += 1
            state.listeners[topic, default: [:]][ObjectIdentifier(outbox)] = outbox
        }
    }

    func remove(_ outbox: Outbox, from topic: String) {
        state.withLock { state in
            state.streams -= 1
            state.listeners[topic]?[ObjectIdentifier(outbox)] = nil
        }
    }
}
