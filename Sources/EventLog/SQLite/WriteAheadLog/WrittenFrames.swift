import Synchronization

/// What a log has written into the file of its write-ahead log, as places in the file. When the log begins anew from its start, so
/// do these.
final class WrittenFrames: Sendable {
    private let endPlace = Atomic<Int64>(0)
    private let movedPlace = Atomic<Int64>(0)

    /// Set where the file is found shorter.
    let cut: CutMark?

    init(_ cut: CutMark? = nil) { self.cut = cut }

    /// Where ends what was written last. The file is shorter only if somebody else has cut it, or a checkpoint has emptied it: then
    /// nothing is read of it, and the next write is at its start.
    var end: Int64 { endPlace.load(ordering: .acquiring) }

    /// Where ends what the database file has, too.
    var moved: Int64 { movedPlace.load(ordering: .acquiring) }

    /// The file is that long when it is opened. How much of it was moved nobody knows any more: it may be all.
    func begin(at size: Int64) {
        endPlace.store(size, ordering: .releasing)
        movedPlace.store(size, ordering: .releasing)
    }

    func add(from start: Int64, to end: Int64) {
        if start == 0 { movedPlace.store(0, ordering: .releasing) }
        endPlace.store(end, ordering: .releasing)
    }

    /// So many frames were moved. It may have begun anew since.
    func move(frames: Int, pageSize: Int) {
        let place = 32 + Int64(frames) * Int64(24 + pageSize)
        if place <= end { movedPlace.store(place, ordering: .releasing) }
    }
}
