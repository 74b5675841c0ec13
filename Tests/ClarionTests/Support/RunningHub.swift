import Webhooks
import EventLog
import Foundation
import Logging
import MicroHTTP

@testable import Clarion

/// Starts a whole hub on a free port, and shuts it down afterwards. Its log is in memory unless a folder is given.
func withHub(
    in folder: URL? = nil,
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    _ body: (Hub) async throws -> Void
) async throws {
    let configuration = HubConfiguration(
        server: ServerConfiguration(port: 0, serverName: "clarion"),
        storage: folder.map { .directory($0.path) } ?? .inMemory,
        durability: folder == nil ? .memory : .process
    )
    let hub = try await Hub.start(configuration, logger: logger)
    do {
        try await body(hub)
    } catch {
        await hub.shutdown(grace: .zero)
        throw error
    }
    await hub.shutdown(grace: .zero)
}

extension Hub {
    /// Everything that is stored.
    func stored(_ pattern: String = "**") async throws -> [Event] {
        try await log.read(after: .start, matching: [TopicPattern(pattern)], limit: 100_000, byteLimit: .max).events
    }
}

extension Event {
    var text: String { String(decoding: data, as: UTF8.self) }
}
