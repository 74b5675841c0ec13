import Synchronization

/// A mark by which whoever posts an event knows it again when the log tells of it, without comparing contents.
///
/// ```swift
/// let mine = EventOrigin()
/// try hub.observe("orders.*", owner: self) { me, event in
///     guard event.origin != mine else { return }
///     …
/// }
/// try await hub.post(EventDraft(topic: topic, data: data, origin: mine))
/// ```
///
/// It goes with the event from the post to those who hear it live, and is not stored: an event that was read from the
/// log has none. Every one that is made is different from all others of the process.
public struct EventOrigin: Hashable, Sendable {
    private static let made = Atomic<UInt64>(0)

    private let number: UInt64

    /// An origin like no other.
    public init() { number = EventOrigin.made.add(1, ordering: .relaxed).newValue }
}
