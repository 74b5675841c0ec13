import Dispatch
import Testing

/// Waits until a condition holds, up to a minute, and notes an issue if it never does.
func eventually(
    _ what: Comment,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () -> Bool
) async {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(60)
    while !condition() {
        guard clock.now < deadline else {
            Issue.record(what, sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}

/// Runs a closure on another thread and waits for it, up to a minute.
///
/// - Returns: whether it came to its end: it does not if it waits for a lock that the caller's caller holds.
func finishesOnAnotherThread(_ work: @escaping @Sendable () -> Void) -> Bool {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "another thread").async {
        work()
        done.signal()
    }
    return done.wait(timeout: .now() + 60) == .success
}
