import Foundation

/// Runs a closure on `count` threads at once, with the thread's number, and waits for all of them.
///
/// Threads of their own, since a concurrent queue has only as many as there are cores.
func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) async {
    await withTaskGroup { group in
        for number in 0..<count {
            group.addTask {
                await withCheckedContinuation { finished in
                    Thread.detachNewThread {
                        work(number)
                        finished.resume()
                    }
                }
            }
        }
    }
}
