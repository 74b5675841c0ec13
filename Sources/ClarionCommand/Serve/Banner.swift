import Clarion
import FoundationEssentials

/// What is printed when the hub can be reached. Programs read the first line; the rest is for people.
struct Banner {
    private let url: String
    /// Where a browser finds the console, without the slash at the end.
    private let publicURL: String
    private let storage: SQLiteEventLog.Storage
    private let durability: Durability
    private let cluster: ClusterAddress?
    private let hasConsole: Bool

    init(of settings: Settings, port: UInt16) {
        let scheme = settings.hub.server.certificate == nil ? "http" : "https"
        url = "\(scheme)://\(settings.displayHost):\(port)"
        publicURL = settings.hub.publicURL?.text ?? url
        storage = settings.hub.storage
        durability = settings.hub.durability
        cluster = settings.hub.cluster
        hasConsole = settings.hub.publicFolder != nil
    }

    /// - Parameter forTerminal: whether a person can press keys.
    func lines(forTerminal: Bool) -> [String] {
        var lines = ["Clarion \(Hub.version) is listening on \(url)", "  log      \(log)"]
        if hasConsole { lines.append("  console  \(publicURL)/") }
        if forTerminal { lines.append("  stop     Ctrl-C") }
        return lines
    }

    private var log: String {
        if let cluster { return "\(cluster.name), of the cluster at \(cluster.hosts.joined(separator: ", "))" }
        guard case .directory(let folder) = storage else { return "in memory: nothing survives the stop" }
        let path = URL(filePath: folder).absoluteURL.path
        return switch durability {
        case .disk: "\(path) (--durability disk: acknowledged events survive power loss)"
        case .process: "\(path) (--durability process: acknowledged events survive kill -9)"
        case .memory: path
        }
    }
}
