import Synchronization

/// Tells the Thread Sanitizer that those who read buffers of a roster have ended.
///
/// The buffers are handed over by reference counts alone: who reads one holds a reference, and it is written in place only
/// when there is no other. The runtime counts where the sanitizer does not look, so it would report the writing as a race.
/// A reading ends with a release that it sees, and a writer that has found itself alone acquires it.
final class Readings: Sendable {
    // Added to and not stored, so that a writer acquires all readings that ended, not the last one alone.
    private let ended = Atomic(0)

    /// Ends a reading, before the buffers are let go.
    func end() { ended.wrappingAdd(1, ordering: .releasing) }

    /// To be called when a buffer has been found to have no reader, and before it is written.
    func acquire() { _ = ended.load(ordering: .acquiring) }
}
