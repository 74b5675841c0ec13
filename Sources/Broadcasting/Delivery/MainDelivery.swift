/// Delivery on the main actor as a type of its own, so that the compiler knows where the handler runs.
///
/// Registering calls have an overload that takes it. Written as `deliver: .main` it is the one that is chosen, and the
/// handler may use what belongs to the main actor:
///
/// ```swift
/// @MainActor final class Label { var text = "" }
///
/// title.observe(label, deliver: .main) { label, text in label.text = text }
/// ```
public struct MainDelivery: Sendable {
    /// On the main actor, never before the posting call returns. On Linux it needs a main loop, see ``Delivery/main``.
    public static let main = MainDelivery()

    /// The same for who chooses at run time.
    var delivery: Delivery { .main }

    func isolating<Observer: Sendable, Value: Sendable>(
        _ handler: @escaping @MainActor @Sendable (Observer, Value) -> Void
    ) -> @Sendable (Observer, Value) -> Void {
        { observer, value in MainActor.assumeIsolated { handler(observer, value) } }
    }

    func isolating<Value: Sendable>(
        _ handler: @escaping @MainActor @Sendable (Value) -> Void
    ) -> @Sendable (Value) -> Void {
        { value in MainActor.assumeIsolated { handler(value) } }
    }
}

extension Optional where Wrapped == any Actor {
    /// Whether what is isolated to it runs on the main actor.
    var isMain: Bool { self === MainActor.shared }
}
