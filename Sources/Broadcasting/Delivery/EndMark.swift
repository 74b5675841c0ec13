import Synchronization

/// Whether a registration has ended, for its calls that were handed over and begin later.
///
/// A registration that takes the place of another one takes over its mark: what was handed over before is still to be heard,
/// until both end.
final class EndMark: Sendable {
    private let mark = Atomic(false)

    var isSet: Bool { mark.load(ordering: .acquiring) }

    func set() { mark.store(true, ordering: .releasing) }
}
