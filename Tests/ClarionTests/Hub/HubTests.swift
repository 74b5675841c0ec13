import EventLog
import Glibc
import Logging
import MicroHTTP
import Synchronization
import Testing

@testable import Clarion

/// A whole hub over real sockets, with its log in memory.
@Suite(.serialized) struct HubTests {
    private func withHub(_ body: (Hub) async throws -> Void) async throws {
        let configuration = HubConfiguration(
            server: ServerConfiguration(port: 0, serverName: "clarion"),
            storage: .inMemory,
            durability: .memory
        )
        let hub = try await Hub.start(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        do {
            try await body(hub)
        } catch {
            await hub.shutdown(grace: .zero)
            throw error
        }
        await hub.shutdown(grace: .zero)
    }

    @Test func aStreamIsReleasedWhenItsClientIsGoneWithoutAnEventBeingPosted() async throws {
        try await withHub { hub in
            let client = try TestClient(port: hub.port)
            client.send("GET /topics/a/events HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n")
            try await eventually { client.received().contains(": clarion") }
            weak let stream = hub.directory.all().first as? EventStream
            #expect(stream != nil)
            #expect(hub.streams.gauge.open.load(ordering: .relaxed) == 1)
            client.close()
            // The gauge falls in `deinit`, and nowhere else.
            try await eventually { hub.streams.gauge.open.load(ordering: .relaxed) == 0 }
            #expect(stream == nil)
            #expect(hub.directory.all().isEmpty)
            #expect(hub.log.tail == .start)
        }
    }

    @Test func aHeadRequestForAStreamLeavesNothingBehind() async throws {
        try await withHub { hub in
            let client = try TestClient(port: hub.port)
            client.send("HEAD /topics/a/events HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n")
            try await eventually { client.received().hasSuffix("\r\n\r\n") }
            try await eventually { hub.directory.all().isEmpty }
            #expect(hub.streams.gauge.open.load(ordering: .relaxed) == 0)
        }
    }

    @Test func aPostInTheProcessReachesAStream() async throws {
        try await withHub { hub in
            let client = try TestClient(port: hub.port)
            client.send("GET /topics/a.*/events HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n")
            try await eventually { client.received().contains(": clarion") }
            let event = try await hub.post(EventDraft(topic: try Topic("a.b"), data: Array("hello".utf8)))
            try await eventually { client.received().hasSuffix("id: \(event.id)\ndata: hello\n\n") }
        }
    }
}

/// Waits for a condition, with a deadline.
private func eventually(_ condition: () -> Bool, within limit: Duration = .seconds(10)) async throws {
    let deadline = ContinuousClock.now + limit
    while !condition() {
        try #require(ContinuousClock.now < deadline, "the condition did not come true in time")
        await Task.yield()
    }
}

/// A raw client on a non-blocking socket.
@safe
private final class TestClient {
    private let descriptor: Int32
    private var bytes: [UInt8] = []

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(connected == 0)
    }

    func send(_ text: String) {
        _ = unsafe Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    }

    /// All that has come so far.
    func received() -> String {
        unsafe withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            while true {
                let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { return }
                unsafe bytes.append(contentsOf: buffer.prefix(count))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func close() {
        Glibc.close(descriptor)
    }
}
