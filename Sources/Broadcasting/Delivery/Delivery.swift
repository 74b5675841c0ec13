public import Dispatch

/// Where the calls of a registration run. Chosen once, when registering, under the label `deliver:`.
///
/// Every choice but `.immediate` hands the call over and lets the poster go on. Handed-over calls to one observer run one
/// after the other in the order in which they were posted, also on a concurrent queue, and also if it registered several
/// times, with several of these. A call whose registration has ended before it begins is not made.
///
/// ```swift
/// Broadcaster.shared.register((any TitleUpdating).self, observer: self, deliver: .queue(renderQueue))
/// ```
public enum Delivery: Sendable {
    /// On the poster's thread, before the posting call returns.
    ///
    /// Two posters may call the observer at the same time. What a handler posts is delivered at once, inside the outer
    /// notification: observers behind it hear the inner one first. Each that is inside another takes some more of the
    /// thread's stack, which has room for a few thousand: who answers without end what it hears wants one of the others.
    case immediate

    /// On the main actor, never before the posting call returns, not even when the poster is on it.
    ///
    /// On Linux this needs a main loop that runs: an asynchronous `main`, `dispatchMain()` or a run loop. Without one
    /// the calls wait for ever.
    ///
    /// Handlers that are closures know that they run there, and may use what belongs to the main actor; see ``MainDelivery``.
    case main

    /// On Swift's concurrent pool: one call at a time for an observer, many observers at a time.
    case background

    /// On a dispatch queue. A suspended queue delays the calls and keeps the posted values.
    case queue(DispatchQueue)

    /// On an actor, so that the handler may use `actor.assumeIsolated`.
    ///
    /// The actor is held weakly, for it may well own its observer: the registration ends with the observer or with the
    /// actor, whichever goes first.
    case actor(any Actor)
}
