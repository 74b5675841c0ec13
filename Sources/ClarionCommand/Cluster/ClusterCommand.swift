import ArgumentParser

/// `clarion cluster`: what there is beyond one hub.
struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "See how a cluster is.",
        subcommands: [ClusterStatusCommand.self]
    )
}
