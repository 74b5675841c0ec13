import Posix

/// How the descriptors that a process may have are shared out, so that none of what needs them takes those of the others.
public struct DescriptorBudget: Sendable, Hashable {
    /// For connections to webhooks' endpoints and what they need: a quarter, at most 4,096, which is more than the 1,024
    /// attempts that may be under way ever need.
    public let webhooks: Int

    /// For the log, the public files, and what the process has open for itself.
    public let files = 64

    /// For clients: the rest.
    public let connections: Int

    /// Of those for clients, what streams may have: a few are left for posts and management.
    public var streams: Int { max(connections - max(8, min(connections / 32, 512)), 0) }

    /// With fewer there would be hardly any for clients: a server that does not start can be told from one that answers nobody.
    static let least = 128

    /// Shares out so many descriptors.
    public init(openFiles: Int) {
        webhooks = min(max(openFiles / 4, 4), 4096)
        connections = max(openFiles - webhooks - files, 1)
    }

    /// Of this process, whose limit is raised for it as far as it goes: see `SystemLimits.raiseOpenFiles()`.
    public static let ofProcess = DescriptorBudget(openFiles: SystemLimits.raiseOpenFiles())

    /// - Throws: ``ServerError`` with the code `too-few-descriptors` if the process may have too few to serve anybody.
    public static func requireEnough() throws(ServerError) {
        let openFiles = SystemLimits.raiseOpenFiles()
        guard openFiles < least else { return }
        throw ServerError(
            code: "too-few-descriptors",
            description: "the process may have \(openFiles) open files, and needs \(least): raise the limit (ulimit -n)"
        )
    }
}
