import Glibc
import Posix

/// Replaces a file by a new one, in one step.
enum FileReplacement {
    /// - Parameters:
    ///   - path: the file. A symbolic link is followed: what it names is replaced.
    ///   - contents: the new contents, given the present ones; nil if there is no file.
    /// - Throws: what `contents` throws, or why the file cannot be replaced, as a sentence.
    static func replace(_ path: String, with contents: ([UInt8]?) throws(MemberFault) -> [UInt8]) throws(MemberFault) {
        // If there is none yet, it comes where the path says.
        let path = (try? RealPath.of(path)) ?? path
        let folder = FilePaths.folder(of: path)
        let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw failure("The folder \(folder) cannot be opened") }
        defer { close(directory) }
        // Held until the descriptor is closed. The file itself cannot be locked: it is another one after each replacement.
        while flock(directory, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure("The folder \(folder) cannot be locked") }
        }
        var status = stat()
        let isThere = unsafe stat(path, &status) == 0
        // A new one that root makes belongs to whom its folder does: the user that the hub runs as, most likely.
        var hasOwner = isThere
        if !isThere, geteuid() == 0 { hasOwner = unsafe fstat(directory, &status) == 0 }
        let present = isThere ? try FileBytes.read(path, atMost: CredentialsFile.maximumLength) : nil
        let bytes = try contents(present)

        var template = Array("\(path).XXXXXX".utf8CString)
        // mkstemp(3) puts a name that is free in the place of the X, and makes the file with mode 0600.
        let descriptor = unsafe mkstemp(&template)
        guard descriptor >= 0 else { throw failure("No file can be made in \(folder)") }
        let temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do throws(MemberFault) {
            defer { close(descriptor) }
            // The hub must be able to read it as before, whoever added the key.
            if hasOwner, status.st_uid != geteuid() || status.st_gid != getegid(),
                fchown(descriptor, status.st_uid, status.st_gid) != 0, isThere, status.st_uid != geteuid()
            {
                throw failure("It belongs to another user, whom it cannot be given back")
            }
            do throws(SystemError) {
                try FileDescriptor(descriptor).write(bytes)
            } catch {
                throw failure("It cannot be written", error.number)
            }
            guard fsync(descriptor) == 0, unsafe rename(temporary, path) == 0 else {
                throw failure("It cannot be replaced")
            }
        } catch {
            _ = unsafe unlink(temporary)
            throw error
        }
        // So that a loss of power does not undo the renaming.
        _ = fsync(directory)
    }

    private static func failure(_ what: String, _ number: Int32 = errno) -> MemberFault {
        MemberFault(path: "", message: "\(what): \(SystemError.reason(number)).")
    }
}
