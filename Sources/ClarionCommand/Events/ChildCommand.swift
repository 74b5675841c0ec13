import CPosix
import FoundationEssentials
import Glibc
import Posix

/// A command that a shell runs, with bytes on its standard input. It has this program's standard output and error, and no
/// other descriptor. No signal is blocked in it.
struct ChildCommand {
    private let command: String
    private let input: [UInt8]
    private let environment: [String: String]

    /// - Parameter environment: added to this process's.
    init(_ command: String, input: [UInt8], environment: [String: String]) {
        self.command = command
        self.input = input
        self.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    }

    /// Runs it to its end.
    ///
    /// - Returns: what went wrong; nil if it ended with 0.
    func run() -> String? {
        do throws(SystemError) {
            return Self.failure(try wait(for: try spawn()))
        } catch {
            return "could not be run: \(error.reason)"
        }
    }

    private static func failure(_ status: Int32) -> String? {
        let signal = status & 0x7F
        if signal != 0 { return "was ended by signal \(signal)" }
        let code = (status >> 8) & 0xFF
        return code == 0 ? nil : "exited with \(code)"
    }

    private func wait(for child: pid_t) throws(SystemError) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { throw SystemError("waitpid") }
        }
        return status
    }

    private func spawn() throws(SystemError) -> pid_t {
        let file = try inputFile()
        defer { file.close() }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, file.number, STDIN_FILENO)
        // Not all are closed by exec(3): libcurl does not mark its own. What the command leaves running would keep them.
        unsafe clarion_close_from(&actions, STDERR_FILENO + 1)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // This thread may block signals, and children would, too.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        // This program ignores it, and children would, too.
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe sigaddset(&signals, SIGXFSZ)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        let arguments = CStrings(["/bin/sh", "-c", command])
        let variables = CStrings(environment.map { "\($0.key)=\($0.value)" })
        var child: pid_t = 0
        let error = unsafe posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments.pointers, variables.pointers)
        guard error == 0 else { throw SystemError("posix_spawn", error) }
        return child
    }

    /// A file without a name, and not a pipe: who does not read it holds nobody up.
    private func inputFile() throws(SystemError) -> FileDescriptor {
        var path = Array("\(Environment["TMPDIR"] ?? "/tmp")/clarion-XXXXXX".utf8CString)
        let number = unsafe mkstemp(&path)
        guard number >= 0 else { throw SystemError("mkstemp") }
        _ = unsafe unlink(path)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        let file = FileDescriptor(number)
        do throws(SystemError) {
            try file.write(input)
            guard lseek(number, 0, SEEK_SET) == 0 else { throw SystemError("lseek") }
        } catch {
            file.close()
            throw error
        }
        return file
    }
}

/// Texts as C wants lists of them: pointers, and a null at the end.
@safe
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        unsafe pointers = .allocate(capacity: count + 1)
        unsafe pointers.initialize(repeating: nil, count: count + 1)
        for (index, text) in texts.enumerated() { unsafe pointers[index] = strdup(text) }
    }

    deinit {
        for index in 0..<count { unsafe free(pointers[index]) }
        unsafe pointers.deallocate()
    }
}
