import Foundation

/// A directory of its own for one test, removed when the test lets go of it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "eventlog-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Copies an open log as a crash would leave it; nothing may be moving its write-ahead log meanwhile.
    func copyLog(to other: TemporaryDirectory) throws {
        for name in ["clarion.db", "clarion.db-wal"] {
            try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(other.path)/\(name)")
        }
    }

    /// The bytes of each file, by name.
    func contents() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            files[name] = try Data(contentsOf: URL(filePath: path + "/" + name))
        }
        return files
    }
}
