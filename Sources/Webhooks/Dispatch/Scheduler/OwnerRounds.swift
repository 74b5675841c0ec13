import DequeModule
import OrderedCollections

/// Lanes that wait, in an order of their own.
protocol WaitingLanes {
    init()
    var isEmpty: Bool { get }
    var count: Int { get }
}

extension Deque: WaitingLanes where Element == Int {}
extension OrderedSet: WaitingLanes where Element == Int {}

/// Lanes that wait, in a line for each owner of endpoints. The owners take turns: who has thousands of endpoints does not have
/// another's wait for all of them.
struct OwnerRounds<Line: WaitingLanes> {
    private struct OwnersLine {
        var lanes = Line()
        var turns = 0
    }

    /// Of owners for whom a lane waits.
    private var lines: [String?: OwnersLine] = [:]
    /// The same owners, in the order of their turns.
    private var round: Deque<String?> = []

    var isEmpty: Bool { round.isEmpty }
    var count: Int { lines.values.reduce(0) { $0 + $1.lanes.count } }

    /// Changes the line of an owner.
    mutating func change<Result>(_ owner: String?, _ body: (inout Line) -> Result) -> Result {
        update(owner) { body(&$0.lanes) }
    }

    private mutating func update<Result>(_ owner: String?, _ body: (inout OwnersLine) -> Result) -> Result {
        // Taken out and put back: to change it in place a dictionary allocates, and this is done for each attempt.
        let known = lines.removeValue(forKey: owner)
        var line = known ?? OwnersLine()
        let result = body(&line)
        let isEmpty = line.lanes.isEmpty
        if !isEmpty { lines[owner] = line }
        if known == nil, !isEmpty { round.append(owner) }
        // The one whose turn it was is the last.
        if known != nil, isEmpty, let index = round.lastIndex(of: owner) { round.remove(at: index) }
        return result
    }

    /// Looks at the line whose turn it is, or changes it, and says which turn it is of that line, from 1 on; nil if all are
    /// empty.
    mutating func takeTurn<Result>(_ body: (inout Line, _ turn: Int) -> Result) -> Result? {
        guard let owner = round.popFirst() else { return nil }
        round.append(owner)
        return update(owner) { line in
            line.turns += 1
            return body(&line.lanes, line.turns)
        }
    }
}
