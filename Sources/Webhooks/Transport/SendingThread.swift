/// One of the transport's threads.
enum SendingThread: Hashable, Sendable {
    /// One of those for endpoints that are steady, from 0 on.
    case steady(Int)
    /// The one for all others.
    case others
}
