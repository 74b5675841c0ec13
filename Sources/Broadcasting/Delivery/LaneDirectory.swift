import Locking

/// Where the lanes of observers are found, those of the whole process.
///
/// A lane is here exactly while routes lead to it. Calls that wait or run hold their entry and so its route, so when the last one has
/// left, nothing is under way, and the next registration of the observer may begin a new lane.
enum LaneDirectory {
    /// Who has a lane.
    struct Key: Hashable, Sendable {
        /// The address of the owner; for a registration without one but with a name, of its table. It is not used again while a
        /// route leads here: the entry keeps it (`WeakOwner`). On Apple's systems it may be, and then the new owner waits for what is left of
        /// the old one's lane, where nothing is called any more.
        let address: ObjectIdentifier
        var name: String?
    }

    private typealias Shard = Lock<[Key: (lane: Lane, routes: Int)]>

    // Of two owners that register at the same time rarely one has to wait for the other.
    private static let shards = (0..<16).map { _ in SharedShard() }

    private final class SharedShard: Sendable {
        let lanes = Shard([:])
    }

    private static func shard(of key: Key) -> SharedShard {
        shards[Int((UInt(bitPattern: key.address) &>> 6) & 15)]
    }

    /// The lane of an observer, for one route more.
    static func enter(_ key: Key) -> Lane {
        shard(of: key).lanes.withLock { lanes in
            if let index = lanes.index(forKey: key) {
                lanes.values[index].routes += 1
                return lanes.values[index].lane
            }
            let lane = Lane()
            lanes[key] = (lane, 1)
            return lane
        }
    }

    /// One route less leads to the lane. The caller holds the lane.
    static func leave(_ key: Key) {
        shard(of: key).lanes.withLock { lanes in
            guard let index = lanes.index(forKey: key) else { return }
            lanes.values[index].routes -= 1
            if lanes.values[index].routes == 0 { lanes.removeValueShrinking(forKey: key) }
        }
    }
}
