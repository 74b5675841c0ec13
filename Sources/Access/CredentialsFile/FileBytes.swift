import Glibc
import Posix

/// Reads the small files that this module needs.
enum FileBytes {
    /// The bytes of a regular file. A pipe is none: opening it could wait for ever, and it cannot be read a second time.
    ///
    /// - Throws: why it cannot be read, as a sentence.
    static func read(_ path: String, atMost limit: Int) throws(MemberFault) -> [UInt8] {
        do throws(SystemError) {
            if let bytes = try FileContents.read(path, atMost: limit) { return bytes }
        } catch {
            let message =
                switch error.number {
                case ENOENT: "There is no such file."
                case EISDIR: "It is not a file."
                case EFBIG: "It is larger than \(limit) bytes, so it must be another file."
                default: "It cannot be read: \(error.reason)."
                }
            throw MemberFault(path: "", message: message)
        }
        throw MemberFault(path: "", message: "It is not a file.")
    }
}
