import Locking

/// Where the strands of observers are found, those of the whole process.
///
/// A strand is here exactly while routes lead to it. Calls that wait or run hold their entry and so its route, so when the
/// last one has left, nothing is under way, and the next registration of the observer may begin a new strand.
enum StrandDirectory {
    /// Who has a strand.
    struct Key: Hashable, Sendable {
        /// The address of the owner; for a registration without one but with a name, of what its table has to itself. It is
        /// not used again while a route leads here: the entry keeps it (`WeakOwner`), or the route does. On Apple's systems it may be, and then the new owner
        /// waits for what is left of the old one's strand, where nothing is called any more.
        let address: ObjectIdentifier
        var name: String?
    }

    private typealias Shard = Lock<[Key: (strand: Strand, routes: Int)]>

    // Of two owners that register at the same time rarely one has to wait for the other.
    private static let shards = (0..<16).map { _ in SharedShard() }

    private final class SharedShard: Sendable {
        let strands = Shard([:])
    }

    private static func shard(of key: Key) -> SharedShard {
        shards[Int((UInt(bitPattern: key.address) &>> 6) & 15)]
    }

    /// The strand of an observer, for one route more.
    static func enter(_ key: Key) -> Strand {
        shard(of: key).strands.withLock { strands in
            if let index = strands.index(forKey: key) {
                strands.values[index].routes += 1
                return strands.values[index].strand
            }
            let strand = Strand()
            strands[key] = (strand, 1)
            return strand
        }
    }

    /// Whether calls wait for the observer, or run.
    static func isBusy(_ key: Key) -> Bool {
        shard(of: key).strands.withLock { $0[key]?.strand }?.isBusy ?? false
    }

    /// One route less leads to the strand. The caller holds the strand.
    static func leave(_ key: Key) {
        shard(of: key).strands.withLock { strands in
            guard let index = strands.index(forKey: key) else { return }
            strands.values[index].routes -= 1
            if strands.values[index].routes == 0 { strands.removeValueShrinking(forKey: key) }
        }
    }
}
