import EventLog
import Foundation

/// Where a node keeps its copy of the log while it runs.
struct NodeFolder: Sendable {
    let path: String

    private static let prefix = "clarion-node-"

    /// A folder that nobody has; those of nodes that were killed are removed.
    init(in folder: String?) {
        let folder = folder ?? FileManager.default.temporaryDirectory.path
        SQLiteEventLog.removeAbandoned(in: folder, named: Self.prefix)
        path = "\(folder)/\(Self.prefix)\(UUID().uuidString.lowercased())"
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
