import Foundation
import Posix

/// A write-ahead log that a process has left, as a file (<https://www.sqlite.org/fileformat2.html#the_write_ahead_log>).
enum LeftWriteAheadLog {
    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// Whether it has a transaction, which SQLite then lays over the database. Its checksums are not looked at: of one that
    /// does not count, it is said all the same.
    static func hasTransaction(_ path: String) throws(SystemError) -> Bool {
        // Without waiting for the other end of a pipe.
        let file: FileDescriptor
        do throws(SystemError) {
            file = try FileDescriptor(path: path, flags: O_RDONLY | O_NONBLOCK)
        } catch {
            guard error.number == ENOENT else { throw error }
            return false
        }
        defer { file.close() }
        let header = try file.read(atMost: headerSize)
        // The number differs by the order of bytes in which sums are made.
        guard header.count == headerSize, number(header, at: 0) | 1 == 0x377F_0683 else { return false }
        let pageSize = Int(number(header, at: 8))
        guard (512...65_536).contains(pageSize) else { return false }
        while true {
            let frame = try file.read(atMost: frameHeaderSize + pageSize)
            // What is left of an earlier use of the file has other salts.
            guard frame.count == frameHeaderSize + pageSize, frame[8..<16] == header[16..<24] else { return false }
            // The last frame of a transaction says how many pages the database has then.
            if number(frame, at: 4) != 0 { return true }
        }
    }

    private static func number(_ bytes: [UInt8], at place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
