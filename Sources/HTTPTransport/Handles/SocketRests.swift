import DequeModule

/// Sockets that are left alone for a while, because they are ready in vain (``Standstill``). Times are milliseconds of the
/// monotonic clock.
struct SocketRests {
    /// So a peer that takes nothing costs ten looks a second. What comes over a socket ends its rest before.
    private static let length = 100

    /// Those first whose time ends first.
    private var resting: Deque<(socket: Int32, end: Int)> = []

    /// When the next is over; nil if none rests.
    var next: Int? { resting.first?.end }

    mutating func begin(of socket: Int32, at now: Int) {
        resting.append((socket, now + Self.length))
    }

    /// One whose rest is over, once for each; it may have been closed since.
    mutating func takeEnded(at now: Int) -> Int32? {
        guard let first = resting.first, first.end <= now else { return nil }
        resting.removeFirst()
        return first.socket
    }
}
