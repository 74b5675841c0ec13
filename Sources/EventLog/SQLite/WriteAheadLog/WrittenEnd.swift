import Synchronization

/// Where in the write-ahead log's file ends what a log has written last: the file is never shorter, unless somebody else has cut
/// it. When the log begins anew from its start, so does this.
final class WrittenEnd: Sendable {
    private let place = Atomic<Int64>(0)

    var end: Int64 {
        get { place.load(ordering: .acquiring) }
        set { place.store(newValue, ordering: .releasing) }
    }
}
