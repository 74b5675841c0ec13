import Posix

/// How much may come over the connection of an answer that is neither a line nor a part of the body: extensions of chunks
/// (RFC 9112 section 7.1.1), or records of TLS that carry nothing, of which libcurl tells nobody. An endpoint that sent
/// them without end took a processor for as long as the attempt may last.
struct FramingBound {
    private static let bytes: UInt64 = 512 << 10
    /// How many more may come for each byte that is told of: chunks of a byte each, in records of TLS of their own, are 35
    /// times as large as what they hold.
    private static let perByte: UInt64 = 64

    /// After how many turns it is looked at what comes; libcurl reads up to 1.6 MB in one.
    private static let turns = 64
    /// After how many the first look is: as a rule there is none.
    private static let firstLook = 8

    private var turnsTaken = 0
    /// What had been read and told of at the first look.
    private var start: (read: UInt64, told: Int64)?

    /// Whether more came than is taken.
    private(set) var isPassed = false

    /// libcurl has had a turn at the transfer.
    ///
    /// - Parameters:
    ///   - told: how many bytes of lines and body came so far.
    ///   - socket: of its connection, if there is one.
    /// - Returns: whether it may go on.
    mutating func takeTurn(told: Int64, over socket: Int32?) -> Bool {
        turnsTaken &+= 1
        guard turnsTaken == Self.firstLook || turnsTaken.isMultiple(of: Self.turns), let socket,
            // Not what has come: while a transfer is paused the kernel takes on, and libcurl reads nothing.
            let read = SocketTraffic.bytesRead(from: socket)
        else { return !isPassed }
        guard let start, start.read <= read else {
            start = (read, told)
            return true
        }
        isPassed = read - start.read > Self.bytes &+ UInt64(max(told - start.told, 0)) &* Self.perByte
        return !isPassed
    }
}
