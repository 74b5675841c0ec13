import ArgumentParser
import Glibc
import Posix

/// A file that comes into being whole: under another name until it is finished.
struct NewFile {
    private let path: String?
    private let draft: String
    private let file: FileDescriptor

    /// - Parameter path: nil for standard output. So are `-` and the names that the system has for it: opened anew, a file would be
    ///   written from its beginning, also where the shell was told to add to it.
    /// - Throws: the exit.
    init(_ path: String?) throws {
        guard let name = path, !["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(name) else {
            (self.path, draft, file) = (nil, "", FileDescriptor(STDOUT_FILENO))
            return
        }
        // A pipe or a device is written to as it is. What /dev/stderr leads to need not have a path.
        let isSpecial = FileStatus(of: name).map { $0.kind != S_IFREG } ?? false
        let path = isSpecial ? name : try Self.target(of: name)
        draft = "\(path).\(getpid()).part"
        self.path = isSpecial ? nil : path
        if !isSpecial { UnfinishedFiles.removeUponSignal([draft]) }
        do throws(SystemError) {
            file =
                isSpecial
                ? try FileDescriptor(path: path, flags: O_WRONLY)
                : try FileDescriptor(path: draft, flags: O_WRONLY | O_CREAT | O_EXCL)
        } catch {
            throw Failure.exit(EX_CANTCREAT, "\(path): \(error.reason)")
        }
    }

    /// The file that a symbolic link leads to: it is replaced, and not the link.
    private static func target(of path: String) throws -> String {
        guard FileStatus(notFollowing: path)?.kind == S_IFLNK else { return path }
        do throws(SystemError) {
            return try RealPath.of(path)
        } catch {
            throw Failure.exit(EX_CANTCREAT, "\(path): \(error.reason)")
        }
    }

    func write(_ bytes: [UInt8]) throws {
        guard path != nil else { return try write(through: bytes) }
        do throws(SystemError) {
            try file.write(bytes)
        } catch {
            throw Failure.exit(EX_IOERR, "\(path ?? ""): \(error.reason)")
        }
    }

    private func write(through bytes: [UInt8]) throws {
        if file.number == STDOUT_FILENO { return try Output.write(json: bytes) }
        do throws(SystemError) {
            try file.write(bytes)
        } catch {
            throw Failure.exit(EX_IOERR, error.reason)
        }
    }

    /// Gives it its name. It is on disk then.
    func finish() throws {
        guard let path else { return }
        defer { file.close() }
        guard fsync(file.number) == 0, unsafe rename(draft, path) == 0 else {
            throw Failure.exit(EX_IOERR, "\(path): \(SystemError.reason(errno))")
        }
    }

    /// Takes away what is not finished.
    func discard() {
        guard path != nil else { return }
        _ = unsafe unlink(draft)
    }
}
