/// How many lines an answer may have: those of its head, of interim heads (1xx) and of trailers.
///
/// libcurl 7.88 keeps all of them for as long as the transfer lasts, and bounds the length of one head alone: an endpoint
/// that sent trailers without end had it take 200 MB a second.
struct LineBound {
    /// What servers and proxies take themselves is 8 to 32 KiB, and 100 to 200 lines.
    private static let mostBytes = 64 << 10
    private static let mostLines = 1_000

    private(set) var bytes = 0
    private var lines = 0

    /// Whether more came than is taken.
    var isPassed: Bool { bytes > Self.mostBytes || lines > Self.mostLines }

    /// Counts a line; returns whether it is taken.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        bytes += line.count
        lines += 1
        return !isPassed
    }
}
