import Glibc
import Testing

@testable import HTTPTransport

/// What comes over a connection and shows nowhere.
@Suite("Framing of an answer", .timeLimit(.minutes(1)))
struct FramingBoundTests {
    private static let flood = 600 << 10
    private let near: Int32
    private let far: Int32

    init() throws {
        (near, far) = try connection()
        for end in [near, far] { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
    }

    /// Writes as much as the kernel takes on.
    private func fill() {
        let bytes: [UInt8] = Array(repeating: 0, count: 65_536)
        while unsafe send(far, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 {}
    }

    /// Reads what is there. Returns how much.
    private func drain() -> Int {
        var bytes: [UInt8] = Array(repeating: 0, count: 65_536)
        var total = 0
        while case let count = unsafe recv(near, &bytes, bytes.count, 0), count > 0 { total += count }
        return total
    }

    private var unread: Int32 {
        var count: Int32 = 0
        return unsafe ioctl(near, UInt(FIONREAD), &count) == 0 ? count : 0
    }

    /// Takes turns in which nothing is made progress with, until one is not allowed, or so many.
    private func turns(_ count: Int, told: Int64 = 1, of bound: inout FramingBound) -> Bool {
        (0..<count).allSatisfy { _ in bound.takeTurn(told: told, over: near) }
    }

    private func close() {
        for end in [near, far] { Glibc.close(end) }
    }

    @Test("an answer of which only framing is read is given up")
    func flood() {
        defer { close() }
        var bound = FramingBound()
        #expect(turns(100, of: &bound))
        var read = 0
        while read < Self.flood {
            fill()
            read += drain()
        }
        #expect(!turns(100, of: &bound))
        #expect(bound.isPassed)
    }

    @Test("what comes while the transfer is paused, and is not read, is none")
    func paused() {
        defer { close() }
        // A socket that was read from fast takes on much.
        while unread < Self.flood {
            _ = drain()
            fill()
        }
        _ = drain()
        var bound = FramingBound()
        #expect(turns(100, of: &bound))
        while unread < Self.flood { fill() }
        #expect(turns(1_000, of: &bound))
        #expect(!bound.isPassed)
    }

    @Test("each byte that is told of permits some more, and no answer comes to its end otherwise")
    func told() {
        defer { close() }
        var (bound, read) = (FramingBound(), 0)
        #expect(turns(10, told: 0, of: &bound))
        for _ in 0..<10 {
            fill()
            read += drain()
            #expect(turns(100, told: Int64(read / 64), of: &bound))
        }
        let (told, came) = (Int64(read / 64), read)
        while read - came < 2 * Self.flood {
            fill()
            read += drain()
        }
        #expect(!turns(100, told: told, of: &bound))
    }
}
