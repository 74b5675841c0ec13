import Posix

/// How much may come over the connection of an answer that is neither a line nor a part of the body: extensions of chunks
/// (RFC 9112 section 7.1.1), of which libcurl tells nobody. An endpoint that sent one without end took a processor for as
/// long as the attempt may last.
struct FramingBound {
    private static let bytes: UInt64 = 512 << 10

    /// After how many turns without progress it is looked at what comes; libcurl reads up to 1.6 MB in one.
    private static let turns = 64
    /// After how many the first look is: as a rule there is none.
    private static let firstLook = 8

    private var progress: Int64 = -1
    private var idleTurns = 0
    private var read: UInt64?

    /// Whether more came than is taken.
    private(set) var isPassed = false

    /// libcurl has had a turn at the transfer.
    ///
    /// - Parameters:
    ///   - progress: a number that grows with all that has come of the answer, and gone of the request.
    ///   - socket: of its connection, if that is its own.
    /// - Returns: whether it may go on.
    mutating func takeTurn(progress: Int64, over socket: Int32?) -> Bool {
        guard progress == self.progress else {
            (self.progress, idleTurns, read) = (progress, 0, nil)
            return true
        }
        idleTurns += 1
        guard idleTurns == Self.firstLook || idleTurns.isMultiple(of: Self.turns), let socket else { return true }
        // Not what has come: while a transfer is paused the kernel takes on, and libcurl reads nothing.
        let now = SocketTraffic(of: socket)?.read
        if let now, let read, now > read { isPassed = now - read > Self.bytes }
        read = now
        return !isPassed
    }
}
