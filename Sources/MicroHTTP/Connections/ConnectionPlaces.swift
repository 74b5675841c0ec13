import Synchronization

/// How many connections a server has, and how many it may have.
final class ConnectionPlaces: Sendable {
    private let maximum: Int
    private let taken = Atomic<Int>(0)

    init(maximum: Int) {
        self.maximum = max(1, maximum)
    }

    var hasRoom: Bool { taken.load(ordering: .relaxed) < maximum }

    /// Whether most of the connections that there can be are open.
    var isCrowded: Bool { taken.load(ordering: .relaxed) > maximum - min(maximum / 4, 512) }

    /// Counts one more, if there is a place for it.
    func take() -> Bool {
        guard taken.add(1, ordering: .relaxed).newValue > maximum else { return true }
        giveBack()
        return false
    }

    func giveBack() { taken.subtract(1, ordering: .relaxed) }
}
