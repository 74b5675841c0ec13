import FoundationEssentials
import Spelling

/// The part of the environment that settings come from: the variables whose names begin with `CLARION_`.
enum SettingsEnvironment {
    static let prefix = "CLARION_"

    /// What clients of a hub read, and what is told to commands that they run.
    private static let ofClients = ["URL", "TOKEN", "CA_FILE", "ID", "TOPIC", "TYPE", "TIME"].map { prefix + $0 }

    /// What the tests of this repository read.
    private static let ofTests = ["EXECUTABLE", "LOAD", "PENDING", "KILLS"].map { prefix + $0 }

    /// The process's variables without those that a container orchestrator made of a service called `clarion`.
    ///
    /// - Throws: if there is one that nobody reads: a typo, most likely.
    static func variables(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SettingsError) -> [String: String] {
        let settings = Setting.allCases.map(\.variable)
        let variables = environment.filter { !isServiceLink($0.key, $0.value) }
        let unknown = variables.keys.filter { name in
            name.hasPrefix(prefix) && ![settings, ofClients, ofTests].contains { $0.contains(name) }
        }
        guard let name = unknown.min() else { return variables }
        let known = settings.map { String($0.dropFirst(prefix.count)) }
        throw SettingsError(unknown: name, in: "in the environment", prefix: prefix, known: known)
    }

    /// Whether it is one of those by which Kubernetes, and Docker before it, tell where a service of that name is:
    /// `CLARION_PORT=tcp://10.0.0.1:8080`, `CLARION_SERVICE_HOST`, `CLARION_PORT_8080_TCP_ADDR`.
    static func isServiceLink(_ name: String, _ value: String) -> Bool {
        if name == "CLARION_PORT" { return ["tcp://", "udp://", "sctp://"].contains { value.hasPrefix($0) } }
        if name == "CLARION_SERVICE_HOST" || name.hasPrefix("CLARION_SERVICE_PORT") { return true }
        return name.hasPrefix("CLARION_PORT_") && name.dropFirst("CLARION_PORT_".count).first?.isNumber == true
    }
}
