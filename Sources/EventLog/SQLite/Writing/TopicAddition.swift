/// What was added to a topic, and its counters do not show yet.
struct TopicAddition {
    private(set) var events: Int64 = 0
    private(set) var bytes: Int64 = 0
    private(set) var last: Int64 = 0

    mutating func add(_ position: Int64, bytes count: Int) {
        events += 1
        bytes += Int64(count)
        last = position
    }
}
