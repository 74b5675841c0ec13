import Synchronization

/// Whether somebody compares settings with those before, which must be kept then.
final class DistinctObservers: Sendable {
    private let count = Atomic(0)

    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// Adds one, until what is returned is released.
    func enter() -> Membership { Membership(self) }

    final class Membership: Sendable {
        private let group: DistinctObservers

        fileprivate init(_ group: DistinctObservers) {
            self.group = group
            group.count.add(1, ordering: .acquiringAndReleasing)
        }

        deinit { group.count.subtract(1, ordering: .acquiringAndReleasing) }
    }
}
