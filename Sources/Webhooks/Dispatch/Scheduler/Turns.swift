import DequeModule
import OrderedCollections

/// The lanes that wait for their turn to send, by what they wait for: where each is, its ``Lane/turn`` says.
struct Turns {
    private(set) var queued = OwnerRounds<Deque<Int>>()
    private(set) var parked: OrderedSet<Int> = []
    private(set) var waiting: [Standing: OwnerRounds<OrderedSet<Int>>] = [:]

    var isAnyWaiting: Bool { waiting.values.contains { !$0.isEmpty } }

    /// Moves a lane to another place. One that is queued leaves by ``popQueued()`` only.
    ///
    /// - Parameter owner: whose it is; always the same for a lane.
    mutating func move(_ lane: Int, of owner: String?, from old: Turn, to new: Turn) {
        switch old {
        case .none, .held, .queued: break
        case .parked: parked.remove(lane)
        case .waiting(let standing): waiting[standing]?.change(owner) { _ = $0.remove(lane) }
        }
        switch new {
        case .none, .held: break
        case .queued: queued.change(owner) { $0.append(lane) }
        case .parked: parked.append(lane)
        case .waiting(let standing): waiting[standing, default: .init()].change(owner) { _ = $0.append(lane) }
        }
    }

    mutating func popQueued() -> Int? { queued.takeTurn { line, _ in line.popFirst() } ?? nil }

    /// The next of those that wait for others of their standing: of the owner whose turn it is, in turn the one that answered
    /// last, and the one that has waited longest. When all have begun to hang but one, that is the one.
    mutating func nextWaiting(_ standing: Standing, answeredAt: (Int) -> Int64) -> Int? {
        waiting[standing]?.takeTurn { line, turn in
            turn.isMultiple(of: 2) ? line.first : line.max { answeredAt($0) < answeredAt($1) }
        } ?? nil
    }
}
