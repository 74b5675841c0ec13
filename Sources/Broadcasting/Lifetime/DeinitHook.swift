/// Runs a closure when it is released: stored in an object it tells when that object goes.
///
/// ```swift
/// final class Page {
///     private let hook = DeinitHook { print("the page is gone") }
/// }
/// ```
///
/// It does the work of an object attached from outside by the Objective-C runtime, but on every platform. The closure
/// runs on the thread that dropped the last reference, after the `deinit` of the object that stored the hook; so it must
/// not use that object, which `weak` references to it already deny.
public final class DeinitHook: Sendable {
    private let action: @Sendable () -> Void

    /// - Parameter action: runs exactly once.
    public init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    deinit { action() }
}
