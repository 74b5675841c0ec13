extension SQLiteEventLog {
    /// Where a log is kept.
    public enum Storage: Hashable, Sendable {
        /// In the file `clarion.db` of a directory, which is made if there is none.
        case directory(String)
        /// In memory, whatever the durability.
        case inMemory
    }

    /// What a log bounds. Every number is at least 1, that of interests at least 2.
    public struct Limits: Hashable, Sendable {
        /// The most events that one transaction commits, unless one post has more.
        public var groupEvents = 1_024

        /// The bytes of data at which a transaction takes no more posts.
        public var groupBytes = 8 << 20

        /// The bytes that may wait to be written, counting 256 for each event beside its data; posts beyond are refused
        /// as `overloaded`, but one that nothing waits before is always taken.
        public var queuedBytes = 64 << 20

        /// The most events that one page looks at when it reads by patterns, so that no page takes long.
        public var scannedEvents = 10_000

        /// How many names of topics the writer remembers the numbers of.
        public var cachedTopics = 65_536

        /// The bytes that the database may take; posts beyond are refused as `storage-full`. Nil for no limit but the
        /// disk's.
        public var storageBytes: Int?

        /// The most topics that have events or bounds; what would make another is refused as `limit-reached`.
        public var topics = 1_000_000

        /// Topics that are not counted among them: those of whoever opened the log.
        public var uncountedTopics: Set<Topic> = []

        /// The most observers; another is refused as `limit-reached`.
        public var observers = 100_000

        /// The bytes that observers may take together, with what they want: a share for each that there may be, 1 MiB at least.
        /// What would take more is refused as `limit-reached`, unless it takes no more than its share itself.
        public var observerBytes: Int { max(min(observers, 1 << 40) * Self.observerShare, 1 << 20) }

        /// 2 KiB.
        static let observerShare = 2 << 10

        /// How often an observer that is behind may want something else before what it was to get first is written down,
        /// event by event; at twice as many, because that is done some at a time, a change is refused as `limit-reached`.
        public var interests = 64

        /// The most idempotency keys that are remembered; a post with another is refused as `limit-reached`.
        public var idempotencyKeys = 10_000_000

        /// How much history topics keep that have no bounds of their own.
        public var retention = Retention()

        /// The default limits.
        public init() {}
    }
}
