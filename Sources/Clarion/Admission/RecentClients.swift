/// What is remembered of each client for a short time, in bounded memory.
///
/// A record is kept for as long as it matters after it was last changed, and then forgotten with its whole generation. None is
/// thrown away before, however many clients there are: so nobody gets rid of theirs by making others. While there are more
/// clients than fit, those that come last share records, by chance.
struct RecentClients<Client: Hashable & Sendable, Record: Sendable>: Sendable {
    private let capacity: Int
    private let lifetime: Duration
    private let blank: Record
    private var young: [Client: Record] = [:]
    /// Of clients that were last changed in the generation before.
    private var old: [Client: Record] = [:]
    private var begun = ContinuousClock.now
    /// Made when it is needed first.
    private var shared: [Record] = []

    /// How many records are shared.
    private static var sharedCount: Int { 4_096 }

    /// - Parameters:
    ///   - capacity: how many clients have records of their own, at the most.
    ///   - lifetime: how long a record matters after a change; from then on it must be worth no more than a blank one.
    init(capacity: Int, lifetime: Duration, blank: Record) {
        self.capacity = capacity
        self.lifetime = lifetime
        self.blank = blank
    }

    /// How many clients have records of their own.
    var count: Int { young.count + old.count }

    /// Whether every record is a blank one.
    var isBlank: Bool { young.isEmpty && old.isEmpty && shared.isEmpty }

    /// A client's record, and whether others have the same.
    func record(of client: Client) -> (record: Record, isShared: Bool) {
        if let own = young[client] ?? old[client] { return (own, false) }
        if shared.isEmpty || count < capacity { return (blank, false) }
        return (shared[Self.place(of: client)], true)
    }

    /// Changes a client's record.
    mutating func change<Result>(_ client: Client, at now: ContinuousClock.Instant, _ body: (inout Record) -> Result)
        -> Result
    {
        turn(now)
        let blank = blank
        if let former = old.removeValue(forKey: client) { young[client] = former }
        guard young[client] != nil || count < capacity else {
            if shared.isEmpty { shared = Array(repeating: blank, count: Self.sharedCount) }
            return body(&shared[Self.place(of: client)])
        }
        return body(&young[client, default: blank])
    }

    private mutating func turn(_ now: ContinuousClock.Instant) {
        let age = now - begun
        guard age >= lifetime else { return }
        old = age < lifetime * 2 ? young : [:]
        young = [:]
        begun = now
    }

    /// Swift's hashes differ from run to run, so nobody can look for clients that share with a certain other.
    private static func place(of client: Client) -> Int {
        Int(UInt(bitPattern: client.hashValue) % UInt(sharedCount))
    }
}
