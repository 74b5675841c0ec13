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

    /// The least share: for fewer attempts another thread is not worth its connections.
    static let leastShare = 8

    /// The thread for the next attempt at an endpoint that is steady.
    ///
    /// - Parameter threads: how many there are for steady endpoints.
    func next(of threads: Int, window: Int) -> SendingThread {
        let share = max(Self.leastShare, (window + threads - 1) / threads)
        let first = (0..<threads).first { $0 >= steady.count || steady[$0] < share }
        return .steady(first ?? 0)
    }

    mutating func begin(on thread: SendingThread) { change(thread, by: 1) }
    mutating func end(on thread: SendingThread) { change(thread, by: -1) }

    private mutating func change(_ thread: SendingThread, by difference: Int) {
        count += difference
        guard case .steady(let number) = thread else { return }
        while steady.count <= number { steady.append(0) }
        steady[number] += difference
    }
}
