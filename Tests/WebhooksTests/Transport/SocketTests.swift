import Glibc
import Posix
import Testing

@testable import HTTPTransport
@testable import Webhooks

/// What the transport waits with.
@Suite("Sockets")
struct SocketTests {
    /// `CURL_POLL_IN` and its kin, whose values are part of libcurl's interface; those of `CURL_CSELECT_IN` are the same.
    private static let (input, output, both, remove): (Int32, Int32, Int32, Int32) = (1, 2, 3, 4)

    private func pair() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    private func ready(_ watch: SocketWatch) -> [Int32: Int32] {
        watch.wait(milliseconds: 0)
        var found: [Int32: Int32] = [:]
        while let (socket, events) = watch.nextReady() { found[socket] = events }
        return found
    }

    @Test("a socket is told of for what it is watched for, until it is not")
    func interest() throws {
        let watch = try #require(SocketWatch())
        let (near, far) = try pair()
        defer { for end in [near, far] { close(end) } }
        watch.watch(near, for: Self.input)
        #expect(ready(watch).isEmpty)
        watch.watch(near, for: Self.both)
        #expect(ready(watch) == [near: Self.output])
        #expect(unsafe write(far, "x", 1) == 1)
        #expect(ready(watch) == [near: Self.both])
        watch.watch(near, for: Self.input)
        #expect(ready(watch) == [near: Self.input])
        watch.watch(near, for: Self.remove)
        #expect(ready(watch).isEmpty)
    }

    @Test("a peer that is gone is for libcurl to look at")
    func hangUp() throws {
        let watch = try #require(SocketWatch())
        let (near, far) = try pair()
        defer { close(near) }
        watch.watch(near, for: Self.input)
        close(far)
        #expect(ready(watch) == [near: 0])
    }

    @Test("a timeout is told of once, when it has passed")
    func timeout() throws {
        let watch = try #require(SocketWatch())
        #expect(!watch.takeTimeout())
        watch.setTimeout(milliseconds: 60_000)
        #expect(!watch.takeTimeout())
        #expect(!watch.wait(milliseconds: 1))
        watch.setTimeout(milliseconds: 20)
        #expect(watch.wait(milliseconds: 60_000))
        #expect(watch.takeTimeout())
        #expect(!watch.takeTimeout())
        watch.setTimeout(milliseconds: 0)
        watch.setTimeout(milliseconds: -1)
        #expect(!watch.takeTimeout())
    }

    @Test("a wait ends when it is woken, also before it begins")
    func wakeUp() throws {
        let watch = try #require(SocketWatch())
        watch.wakeUp.wake()
        #expect(watch.wait(milliseconds: 60_000))
        #expect(ready(watch).isEmpty)
        Thread.start(name: "waker") { [wakeUp = watch.wakeUp] in wakeUp.wake() }
        watch.wait(milliseconds: 60_000)
        #expect(ready(watch).isEmpty)
    }

    @Test("the authorities are read with a socket of this process, and nobody else")
    func unanswering() throws {
        guard var socket = UnansweringSocket(),
            var loop = TransportLoop(
                options: TransportOptions(WebhookConfiguration()),
                clocks: Clocks(of: MemoryStore())
            )
        else {
            Issue.record("no sockets")
            return
        }
        let isSilent = !socket.wasAddressed()
        #expect(isSilent)
        let length = socket.name.count
        #expect(length == 5)
        let isGreeted = loop.greet(&socket)
        #expect(isGreeted)
    }
}
