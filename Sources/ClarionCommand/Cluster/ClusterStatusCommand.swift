import ArgumentParser
import Clarion
import EventLog
import Glibc
import JSON

/// `clarion cluster status`: the nodes of a cluster, and the stream that they share.
struct ClusterStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the nodes of a cluster, and what is wrong with it.",
        discussion: """
            Asks the servers of NATS, and by them all nodes: no hub need be reached over HTTP. The address is that of `clarion \
            serve --log`; CLARION_LOG and the file of --config are read, too.

            LAG is how many messages of the stream the node had not taken when it was asked; LEASES is what it delivers. What is wrong is \
            told on standard error: a node that does not answer, is cut off or does not keep up; a server that does not; parts of the \
            webhooks that nobody delivers. Exits with 0 if all is well, 1 if something is wrong, 2 if no server answers or there is no such log, \
            64 for a setting that cannot be used.

            EXAMPLE
              clarion cluster status --log nats://a:4222,nats://b:4222?name=shop
            """
    )

    @Option(help: ArgumentHelp("Where the log of the cluster is: see `clarion serve`.", valueName: "address"))
    var log: String?

    @Option(help: ArgumentHelp("A JSON file of settings: see `clarion serve`.", valueName: "file"))
    var config: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let address = try address()
        let status: ClusterStatus
        do throws(EventLogError) {
            status = try await ClusterStatus.read(address)
        } catch {
            throw Failure.exit(2, error.message)
        }
        if json { try Output.json(status.json) } else { try print(status) }
        for fault in status.faults { Remark.line(fault) }
        if !status.faults.isEmpty { throw ExitCode(EXIT_FAILURE) }
    }

    private func address() throws -> ClusterAddress {
        do {
            var arguments: [String] = []
            if let log { arguments += ["--log", log] }
            if let config { arguments += ["--config", config] }
            guard let text = try SettingsSource(try ServeOptions.parse(arguments)).text(.log) else {
                throw SettingsError("which cluster? Give --log nats://host:4222?name=…, or CLARION_LOG")
            }
            do {
                return try ClusterAddress(text)
            } catch {
                throw SettingsError(.log, error.message)
            }
        } catch let error as SettingsError {
            throw Failure.exit(EX_USAGE, error.message)
        }
    }

    private func print(_ status: ClusterStatus) throws {
        var table = Table("NODE", "WHERE", "VERSION", "SINCE", "STREAMS", "LEASES", "LAG")
        for node in status.nodes {
            table.add(
                node.name,
                "\(node.host):\(node.port)",
                node.version,
                node.startedAt.rfc3339,
                "\(node.streams)",
                "\(node.leases.count)",
                "\(status.lag(of: node))"
            )
        }
        try table.print()
        guard Output.isTerminal else { return }
        let servers = status.leader.map { ", led by \($0)" } ?? ""
        let followers = status.followers.isEmpty ? "" : ", followed by \(status.followers.joined(separator: ", "))"
        try Output.line(
            Style.dim(
                TerminalText.escaped(
                    "The stream has \(status.messages) messages of \(status.bytes) bytes, \(status.last) the newest\(servers)\(followers)."
                )
            )
        )
    }
}

extension ClusterStatus {
    /// Everything, for scripts.
    fileprivate var json: JSONValue {
        .object([
            "healthy": .bool(faults.isEmpty),
            "faults": .array(faults.map(JSONValue.string)),
            "nodes": .array(nodes.map { node in .object(members(of: node)) }),
            "unreachable": .array(missing.map(JSONValue.string)),
            "stream": .object([
                "messages": .number(Double(messages)), "bytes": .number(Double(bytes)), "last": .number(Double(last)),
                "leader": leader.map(JSONValue.string) ?? .null, "followers": .array(followers.map(JSONValue.string)),
                "replicas": .number(Double(replicas)),
            ]),
        ])
    }

    private func members(of node: NodeStatus) -> [String: JSONValue] {
        [
            "name": .string(node.name), "host": .string(node.host), "port": .number(Double(node.port)),
            "version": .string(node.version), "startedAt": .string(node.startedAt.rfc3339),
            "streams": .number(Double(node.streams)), "leases": .array(node.leases.map(JSONValue.string)),
            "lag": .number(Double(lag(of: node))), "connected": .bool(node.isConnected),
            "fault": node.fault.map(JSONValue.string) ?? .null,
        ]
    }
}
