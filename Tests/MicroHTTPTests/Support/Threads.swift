import Foundation
import Synchronization

/// Threads for clients that block: those of the concurrency pool are few, and the server's own tests wait on them.
enum Threads {
    /// Runs the body once for each index, each on a thread of its own, and returns when all have returned.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
        let remaining = Remaining(count)
        await withCheckedContinuation { continuation in
            for index in 0..<count {
                Thread {
                    body(index)
                    if remaining.finish() { continuation.resume() }
                }.start()
            }
        }
    }

    private final class Remaining: Sendable {
        private let count: Atomic<Int>

        init(_ count: Int) {
            self.count = Atomic(count)
        }

        /// Returns whether this was the last.
        func finish() -> Bool { count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
    }
}
