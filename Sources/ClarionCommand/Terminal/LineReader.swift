import Glibc
import Posix

/// Reads lines as they come.
struct LineReader {
    private let file: FileDescriptor
    private var rest: [UInt8] = []
    private var isAtEnd = false

    private let longest: Int

    private static let piece = 256 * 1024
    /// The largest post of any hub, in base64, and what stands around it.
    static let longest = 1 << 31

    /// - Parameter longest: how many bytes are kept of a line that does not end.
    init(_ file: FileDescriptor, longest: Int = Self.longest) {
        self.file = file
        self.longest = longest
    }

    /// The lines that are there, or the next one to come; without the line ends. Nil at the end.
    mutating func next() throws(SystemError) -> [[UInt8]]? {
        while !isAtEnd {
            let bytes = try file.read(atMost: Self.piece)
            isAtEnd = bytes.isEmpty
            let end = bytes.lastIndex(of: UInt8(ascii: "\n"))
            guard let end else {
                rest += bytes
                guard rest.count <= longest else { throw SystemError("read", EFBIG) }
                continue
            }
            let whole = rest + bytes[..<end]
            rest = Array(bytes[(end + 1)...])
            return whole.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Self.trimmed($0) }
        }
        guard !rest.isEmpty else { return nil }
        defer { rest = [] }
        return [Self.trimmed(rest[...])]
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> [UInt8] {
        Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
}
