import FoundationEssentials
import Glibc
import Posix
import Testing

@testable import HTTPTransport

/// What the transport waits with.
@Suite("Sockets")
struct SocketWatchTests {
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

    @Test("of one that is closed before its turn comes nothing is told: the next may have its number")
    func closedWhileReady() throws {
        let watch = try #require(SocketWatch())
        let (near, far) = try pair()
        defer { for end in [near, far] { close(end) } }
        for end in [near, far] { watch.watch(end, for: Self.output) }
        #expect(watch.wait(milliseconds: 0))
        watch.forget(near)
        let first = try #require(watch.nextReady())
        #expect(first == (far, Self.output) && watch.nextReady() == nil && !watch.isAnyReady)
    }

    /// In how many sets of the process a descriptor is watched (proc(5), "tfd").
    private func sets(watching socket: Int32) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo").count { name in
            let text = (try? String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8)) ?? ""
            return text.split(separator: "\n").contains { line in
                let words = line.split(separator: " ", omittingEmptySubsequences: true)
                return words.count > 1 && words[0] == "tfd:" && Int32(words[1]) == socket
            }
        }
    }

    @Test("one that is kept stays where it is while it is idle, and is told of when it is wanted")
    func kept() throws {
        let watch = try #require(SocketWatch())
        let (near, far) = try pair()
        defer { for end in [near, far] { close(end) } }
        watch.watch(near, for: Self.input)
        watch.watch(near, for: Self.remove)
        #expect(try sets(watching: near) == 0)
        watch.watch(near, for: Self.input)
        watch.keep(near)
        for _ in 0..<2 {
            watch.watch(near, for: Self.remove)
            #expect(try sets(watching: near) == 1)
            watch.watch(near, for: Self.input)
            #expect(ready(watch).isEmpty)
            #expect(unsafe write(far, "x", 1) == 1)
            #expect(ready(watch) == [near: Self.input])
            var byte: UInt8 = 0
            #expect(unsafe read(near, &byte, 1) == 1)
        }
        watch.watch(near, for: Self.both)
        #expect(ready(watch) == [near: Self.output])
    }

    @Test("what comes to one that is idle ends it, and wakes nobody a second time")
    func keptAndSpokenTo() throws {
        let watch = try #require(SocketWatch())
        let (near, far) = try connection()
        defer { for end in [near, far] { close(end) } }
        watch.watch(near, for: Self.input)
        watch.keep(near)
        watch.watch(near, for: Self.remove)
        #expect(unsafe write(far, "x", 1) == 1)
        #expect(watch.wait(milliseconds: 60_000))
        #expect(!watch.wait(milliseconds: 1))
        // As libcurl finds out whether a connection lives.
        var byte: UInt8 = 0
        #expect(unsafe recv(near, &byte, 1, Int32(MSG_PEEK)) == 0)
        watch.watch(near, for: Self.input)
        #expect(ready(watch) == [near: 0])
    }

    @Test("what comes to one whose transfer has paused stays for it")
    func pausedAndSpokenTo() throws {
        let watch = try #require(SocketWatch())
        let (near, far) = try connection()
        defer { for end in [near, far] { close(end) } }
        watch.watch(near, for: Self.input)
        watch.keep(near)
        watch.pause(near)
        watch.watch(near, for: Self.remove)
        #expect(unsafe write(far, "x", 1) == 1)
        #expect(watch.wait(milliseconds: 60_000))
        watch.watch(near, for: Self.input)
        #expect(ready(watch) == [near: Self.input])
        var byte: UInt8 = 0
        #expect(unsafe read(near, &byte, 1) == 1)
        // It has gone on, and then it ended.
        watch.watch(near, for: Self.remove)
        #expect(unsafe write(far, "x", 1) == 1)
        #expect(watch.wait(milliseconds: 60_000))
        #expect(unsafe recv(near, &byte, 1, Int32(MSG_PEEK)) == 0)
    }

    @Test("one that was written to last is not ended because it could be written to")
    func keptAfterWriting() throws {
        let watch = try #require(SocketWatch())
        let (near, far) = try connection()
        defer { for end in [near, far] { close(end) } }
        watch.watch(near, for: Self.output)
        watch.keep(near)
        watch.watch(near, for: Self.remove)
        for _ in 0..<2 { #expect(ready(watch).isEmpty) }
        #expect(unsafe send(near, "x", 1, Int32(MSG_NOSIGNAL)) == 1)
        #expect(unsafe write(far, "x", 1) == 1)
        #expect(watch.wait(milliseconds: 60_000))
        #expect(unsafe send(near, "x", 1, Int32(MSG_NOSIGNAL)) == -1)
    }

    @Test("where one has paused that is not known, none is ended")
    func pausedUnseen() throws {
        let watch = try #require(SocketWatch())
        let (near, far) = try connection()
        defer { for end in [near, far] { close(end) } }
        watch.watch(near, for: Self.input)
        watch.keep(near)
        watch.watch(near, for: Self.remove)
        watch.pause(nil)
        #expect(unsafe write(far, "x", 1) == 1)
        #expect(watch.wait(milliseconds: 60_000))
        var byte: UInt8 = 0
        #expect(unsafe recv(near, &byte, 1, 0) == 1)
    }

    @Test("another socket of the same number is another one")
    func sameNumber() throws {
        let watch = try #require(SocketWatch())
        let (near, far) = try pair()
        watch.watch(near, for: Self.input)
        watch.keep(near)
        watch.watch(near, for: Self.remove)
        watch.forget(near)
        for end in [near, far] { close(end) }
        let (other, peer) = try pair()
        defer { for end in [near, peer] { close(end) } }
        try #require(other == near || dup2(other, near) == near)
        if other != near { close(other) }
        watch.watch(near, for: Self.input)
        #expect(unsafe write(peer, "x", 1) == 1)
        #expect(ready(watch) == [near: Self.input])
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

    @Test("one that is ready again and again is told of for as long as something goes on", arguments: [input, output])
    func progress(interest: Int32) throws {
        let watch = try #require(SocketWatch())
        let (near, far) = try connection()
        defer { for end in [near, far] { close(end) } }
        var bytes: [UInt8] = Array(repeating: 0, count: 1_000)
        #expect(unsafe write(far, bytes, 1_000) == 1_000)
        watch.watch(near, for: interest)
        for _ in 0..<900 {
            #expect(ready(watch) == [near: interest])
            #expect(unsafe (interest == Self.input ? read(near, &bytes, 1) : write(near, bytes, 1)) == 1)
        }
    }
}
