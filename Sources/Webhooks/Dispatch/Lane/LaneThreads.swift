/// On which of the transport's threads a lane's attempts are under way.
///
/// A connection stays with the thread that opened it. So the first thread makes a lane's attempts, and another only those for
/// which all before it have their share of the window: however attempts end, a steady endpoint sees no more connections than
/// its window has places.
struct LaneThreads {
    /// How many attempts are under way.
    private(set) var count = 0

    /// Those on the threads for steady endpoints, as far as there were any.
    private var steady: [Int] = []

    /// The thread for the next attempt at an endpoint that is steady.
    func next(of threads: DeliveryScheduler.Limits.Threads, window: Int) -> SendingThread {
        let share = max(threads.leastShare, (window + threads.steady - 1) / threads.steady)
        return .steady((0..<threads.steady).first { count(on: $0) < share } ?? 0)
    }

    /// How many are under way on a thread for steady endpoints.
    func count(on thread: Int) -> Int { thread < steady.count ? steady[thread] : 0 }

    mutating func begin(on thread: SendingThread) { change(thread, by: 1) }
    mutating func end(on thread: SendingThread) { change(thread, by: -1) }

    private mutating func change(_ thread: SendingThread, by difference: Int) {
        count += difference
        guard case .steady(let number) = thread else { return }
        while steady.count <= number { steady.append(0) }
        steady[number] += difference
    }
}
