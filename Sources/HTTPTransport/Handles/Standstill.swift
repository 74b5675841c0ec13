import Posix

/// Notices that a socket is ready again and again, and nothing comes of it: a peer of HTTP/2 that takes no more streams, or
/// no more bytes, has libcurl 7.88 wait until it can write, and then not write. Without this it would do so for as long as
/// the attempt may last, with all of a processor.
struct Standstill {
    /// How often a socket is ready without a look at what comes of it. What is large takes a few times.
    private static let patience = 64

    private var times = 0
    private var traffic: SocketTraffic?
    /// Whether nothing came of it when it was looked at last: then one time more is enough.
    private(set) var isReached = false

    /// The socket is ready.
    ///
    /// - Returns: whether that is in vain.
    mutating func isReached(at socket: Int32) -> Bool {
        times += 1
        guard isReached || times >= Self.patience else { return false }
        times = 0
        let last = traffic
        traffic = SocketTraffic(of: socket)
        isReached = traffic != nil && traffic == last
        return isReached
    }
}
