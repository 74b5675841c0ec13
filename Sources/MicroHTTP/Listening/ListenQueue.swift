import Logging
import Posix

/// An event loop's share of the listen queue, which all loops watch. Confined to the loop's thread.
struct ListenQueue {
    private let core: HTTPServer.Core
    private(set) var isWatched = false
    private var acceptsFrom = 0

    /// How many connections are taken in one turn.
    private static let arrivalsPerTurn = 16

    init(of core: HTTPServer.Core) {
        self.core = core
    }

    /// Watches it, if there is room for connections.
    mutating func watch(_ poll: EventPoll, token: UInt64, now: Int) {
        guard !isWatched, now >= acceptsFrom, core.places.hasRoom else { return }
        isWatched = poll.watch(core.listening.descriptor, for: [.readable, .oneOfMany], token: token)
    }

    /// Takes what waits in it.
    mutating func accept(_ poll: EventPoll, _ place: (Arrival) -> Void) {
        for _ in 0..<Self.arrivalsPerTurn {
            guard core.places.take() else { return pause(poll) }
            switch core.listening.accept() {
            case .arrived(let arrival): place(arrival)
            case .nothing: return core.places.giveBack()
            case .failed:
                core.places.giveBack()
                core.logger.warning("there are no descriptors for more connections")
                return pause(poll)
            }
        }
    }

    /// Leaves it to others for a moment: there is no place, or no descriptor.
    private mutating func pause(_ poll: EventPoll) {
        poll.remove(core.listening.descriptor)
        isWatched = false
        acceptsFrom = core.places.hasRoom ? SystemClock.coarse.milliseconds + ConnectionWatch.tick : 0
    }
}
