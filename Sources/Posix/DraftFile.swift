#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file in the making, which has another name until it is whole.
///
/// The process's number is in that name: others may make the same file meanwhile. In a container each process has the same
/// number, so that what one has left that was killed is in the way of the next: it is removed. One that is still written
/// is locked, and is not.
package final class DraftFile: Sendable {
    /// Why there is none.
    package struct Failure: Error {
        /// The file that it is about.
        package let path: String
        package let reason: String
    }

    package let path: String
    package let file: FileDescriptor
    private let target: String

    /// What a draft is called.
    package static func path(of target: String) -> String { "\(target).\(getpid()).part" }

    /// Makes an empty one, this user's alone to read.
    package init(of target: String) throws(Failure) {
        self.target = target
        path = Self.path(of: target)
        if let former = try? FileDescriptor(path: path, flags: O_WRONLY | O_NOFOLLOW | O_NONBLOCK) {
            defer { former.close() }
            guard former.lock() else { throw Failure(path: path, reason: "another process is writing it") }
        }
        // `unsafe`: unlink(2) reads the path.
        _ = unsafe unlink(path)
        do throws(SystemError) {
            // It may hold secrets: nobody may have it be another file.
            file = try FileDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        } catch {
            throw Failure(path: error.number == EEXIST ? path : target, reason: error.reason)
        }
        _ = file.lock()
    }

    deinit { file.close() }

    /// Gives it the name that it is to have. It is on disk then, and so is the name.
    package func finish() throws(SystemError) {
        guard fsync(file.number) == 0 else { throw SystemError("fsync") }
        // `unsafe`: rename(2) reads the paths.
        guard unsafe rename(path, target) == 0 else { throw SystemError("rename") }
        guard let folder = try? FileDescriptor(path: folder, flags: O_RDONLY | O_DIRECTORY) else { return }
        // Some file systems have nothing to do for it, and say so.
        _ = fsync(folder.number)
        folder.close()
    }

    private var folder: String {
        target.lastIndex(of: "/").map { String(target[...$0]) } ?? "."
    }
}
