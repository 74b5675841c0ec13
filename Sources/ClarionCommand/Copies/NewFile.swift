import ArgumentParser
import Glibc
import Posix

/// A file that comes into being whole: under another name until it is finished.
struct NewFile {
    private let path: String
    /// Nil for what is written to as it is.
    private let draft: DraftFile?
    private let file: FileDescriptor

    /// - Parameter path: nil for standard output. So are `-` and the names that the system has for it: opened anew, a file would be
    ///   written from its beginning, also where the shell was told to add to it.
    /// - Throws: the exit.
    init(_ path: String?) throws {
        guard let name = path, !["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(name) else {
            (self.path, draft, file) = ("standard output", nil, FileDescriptor(STDOUT_FILENO))
            return
        }
        // A pipe or a device is written to as it is. What /dev/stderr leads to need not have a path.
        let isSpecial = FileStatus(of: name).map { $0.kind != S_IFREG } ?? false
        let target = isSpecial ? name : try Self.target(of: name)
        self.path = target
        if !isSpecial { UnfinishedFiles.removeUponSignal([DraftFile.path(of: target)]) }
        do {
            draft = isSpecial ? nil : try DraftFile(of: target)
            file = try draft?.file ?? FileDescriptor(path: target, flags: O_WRONLY)
        } catch let error as DraftFile.Failure {
            throw Failure.exit(EX_CANTCREAT, "\(error.path): \(error.reason)")
        } catch let error as SystemError {
            throw Failure.exit(EX_CANTCREAT, "\(target): \(error.reason)")
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

    /// Writes lines of JSON.
    func write(json: [UInt8]) throws {
        if file.number == STDOUT_FILENO { return try Output.write(json: json) }
        do throws(SystemError) {
            try file.write(isatty(file.number) == 1 ? TerminalText.escapedJSON(lines: json) : json)
        } catch {
            throw Failure.exit(EX_IOERR, "\(path): \(error.reason)")
        }
    }

    /// Gives it its name. It is on disk then.
    func finish() throws {
        do throws(SystemError) {
            try draft?.finish()
        } catch {
            throw Failure.exit(EX_IOERR, "\(path): \(error.reason)")
        }
    }

    /// Takes away what is not finished.
    func discard() {
        guard let draft else { return }
        _ = unsafe unlink(draft.path)
    }
}
