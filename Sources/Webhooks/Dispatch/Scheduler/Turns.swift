import DequeModule
import OrderedCollections

/// The lanes that wait for their turn to send, by what they wait for: where each is, its ``Lane/turn`` says.
struct Turns {
    private(set) var queued: Deque<Int> = []
    private(set) var parked: OrderedSet<Int> = []
    private(set) var waiting: [Standing: OrderedSet<Int>] = [:]

    private var takesLastAnswered = false

    var isAnyWaiting: Bool { waiting.values.contains { !$0.isEmpty } }

    /// Moves a lane to another place. One that is queued leaves by ``popQueued()`` only.
    mutating func move(_ lane: Int, from old: Turn, to new: Turn) {
        switch old {
        case .none, .held, .queued: break
        case .parked: parked.remove(lane)
        case .waiting(let standing): waiting[standing]?.remove(lane)
        }
        switch new {
        case .none, .held: break
        case .queued: queued.append(lane)
        case .parked: parked.append(lane)
        case .waiting(let standing): waiting[standing, default: []].append(lane)
        }
    }

    mutating func popQueued() -> Int? { queued.popFirst() }

    /// The next of those that wait for others of their standing: in turn the one that has waited longest, and the one that
    /// answered last. When all have begun to hang but one, that is the one.
    mutating func nextWaiting(_ standing: Standing, answeredAt: (Int) -> Int64) -> Int? {
        guard let lanes = waiting[standing], let first = lanes.first else { return nil }
        takesLastAnswered.toggle()
        return takesLastAnswered ? lanes.max { answeredAt($0) < answeredAt($1) } : first
    }
}
