import Synchronization

/// Where an observer of a value begins to hear changes.
///
/// An observer is registered first and told its beginning next, in one step with reading the current value. Till then it
/// hears nothing; from then on exactly what the value became later, although announcements of earlier changes may be
/// under way on another thread.
final class Beginning: Sendable {
    private let version = Atomic(UInt64.max)

    func set(_ current: UInt64) { version.store(current, ordering: .releasing) }

    func precedes(_ announcement: Announcement) -> Bool {
        announcement.isGreeting || announcement.version > version.load(ordering: .acquiring)
    }
}
