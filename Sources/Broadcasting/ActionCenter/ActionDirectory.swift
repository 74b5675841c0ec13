import Locking
import Synchronization

/// The actions of one centre that something is registered for, so that one action has one key.
///
/// Actions are strangers: they are hashed, compared and released while the directory is not locked. Who lists one compares
/// it with those of its hash first, and again if others were listed meanwhile.
final class ActionDirectory: Sendable {
    private struct State {
        var rows: [Int: Row] = [:]
        /// How many actions were ever listed.
        var listed = 0
    }

    /// The actions of one hash.
    private struct Row {
        var listings: [Listing] = []
        /// The number of the action that was listed last.
        var version = 0

        /// The lowest rank that is free.
        var freeRank: Int {
            // All but always there is one.
            if listings.count == 1 { return listings[0].rank == 0 ? 1 : 0 }
            let ranks = Set(listings.map(\.rank))
            return (0...).first { !ranks.contains($0) } ?? 0
        }
    }

    private struct Listing {
        let action: WeakOwner<ListedAction>
        let address: ObjectIdentifier
        let rank: Int
    }

    private let state = Lock(State())
    /// How many listed actions are not the first of their hash.
    private let collisions = Atomic(0)

    /// Whether actions may stand under another key than the first of their hash.
    var hasCollisions: Bool { collisions.load(ordering: .acquiring) > 0 }

    /// The key of an action, if it is listed.
    func find(_ action: some Action, hash: Int) -> ActionKey? {
        look(hash).actions.first { $0.isSame(as: action) }.map { .action($0) }
    }

    /// The key of an action, which is listed if it is not.
    func list(_ action: some Action, hash: Int) -> ActionKey {
        // None is compared twice: comparing may list others, and this would not come to an end.
        var others: [ListedAction] = []
        while true {
            let (actions, rank, version) = look(hash)
            for listed in actions where !others.contains(where: { $0 === listed }) {
                if listed.isSame(as: action) { return .action(listed) }
                others.append(listed)
            }
            let listed = ListedAction(action, hash: hash, rank: rank, in: self)
            if list(listed, asOf: version) { return .action(listed) }
        }
    }

    /// What is listed under a hash, and the lowest rank that is free.
    private func look(_ hash: Int) -> (actions: [ListedAction], rank: Int, version: Int) {
        state.withLock { state in
            guard let row = state.rows[hash] else { return ([], 0, 0) }
            return (row.listings.compactMap { $0.action.load() }, row.freeRank, row.version)
        }
    }

    /// - Returns: whether none of its hash had been listed since.
    private func list(_ action: ListedAction, asOf version: Int) -> Bool {
        state.withLock { state in
            var row = state.rows[action.hash] ?? Row()
            guard row.version == version else { return false }
            state.listed += 1
            row.version = state.listed
            let address = ObjectIdentifier(action)
            row.listings.append(Listing(action: WeakOwner(action), address: address, rank: action.rank))
            state.rows[action.hash] = row
            if action.rank > 0 { collisions.add(1, ordering: .acquiringAndReleasing) }
            return true
        }
    }

    /// For an action that goes, which may not have been listed.
    func remove(_ action: ListedAction) {
        state.withLock { state in
            guard var row = state.rows[action.hash],
                let index = row.listings.firstIndex(where: { $0.address == ObjectIdentifier(action) })
            else { return }
            row.listings.remove(at: index)
            if row.listings.isEmpty {
                state.rows.removeValueShrinking(forKey: action.hash)
            } else {
                state.rows[action.hash] = row
            }
            if action.rank > 0 { collisions.subtract(1, ordering: .acquiringAndReleasing) }
        }
    }
}
