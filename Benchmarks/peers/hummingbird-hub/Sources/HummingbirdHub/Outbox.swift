import Hummingbird
import NIOCore
import Synchronization

/// What waits for one stream. Frames that come while its socket is written are gathered into one buffer.
final class Outbox: Sendable {
    private let waiting = Mutex(ByteBuffer())
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init() {
        (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func append(_ frame: ByteBufferView) {
        let wasEmpty = waiting.withLock { waiting in
            defer { waiting.writeBytes(frame) }
            return waiting.readableBytes == 0
        }
        if wasEmpty { arrival.yield() }
    }

    func close() {
        arrival.finish()
    }

    /// Hands over what has gathered, again and again, until the outbox is closed.
    func drain(into write: (ByteBuffer) async throws -> Void) async throws {
        for await _ in arrivals {
            let gathered = waiting.withLock { waiting in
                defer { waiting = ByteBuffer() }
                return waiting
            }
            try await write(gathered)
        }
    }
}
