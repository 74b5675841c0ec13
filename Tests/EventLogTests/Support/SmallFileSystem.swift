import Foundation

/// A file system of its own of a few megabytes, in memory: a disk that can be filled. Root only.
final class SmallFileSystem {
    let path: String

    /// Nil if none can be mounted here.
    init?(megabytes: Int) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "eventlog-disk-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard try SmallFileSystem.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path) else {
            try FileManager.default.removeItem(atPath: path)
            return nil
        }
    }

    deinit {
        _ = try? SmallFileSystem.run("umount", "-l", path)
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Whether one can be mounted here.
    static let isAllowed = (try? SmallFileSystem(megabytes: 1)) != nil

    /// Writes a file of zeros until nothing more fits.
    func fill(_ name: String) throws {
        _ = FileManager.default.createFile(atPath: path + "/" + name, contents: nil)
        guard let file = FileHandle(forWritingAtPath: path + "/" + name) else { return }
        defer { try? file.close() }
        for size in [1 << 16, 1 << 12] {
            while (try? file.write(contentsOf: Data(repeating: 0, count: size))) != nil {}
        }
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path + "/" + name)
    }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

    private static func run(_ arguments: String...) throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
