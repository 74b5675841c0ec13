import Posix

/// The streams over TLS of an event loop: it notices clients that are gone while their connections are suspended, which
/// libmicrohttpd does not, keeps silent streams alive, and ends those that are not read. Confined to the loop's thread.
struct SecureStreams {
    private var streams: [ObjectIdentifier: SecureStream] = [:]
    private var sockets: [UInt64: SecureStream] = [:]
    private let shared: OpenStreams
    private var nextLook = 0

    /// Set in the tokens of their sockets, and in no other's; the rest is the socket.
    private static let mark: UInt64 = 1 << 62

    private static func token(of one: SecureStream) -> UInt64 { mark | UInt64(one.connection.socket) }

    init(_ shared: OpenStreams) {
        self.shared = shared
    }

    var isEmpty: Bool { streams.isEmpty }

    /// Looks after a stream until ``remove(_:poll:)``. One whose socket cannot be watched is cut.
    mutating func insert(_ one: SecureStream, poll: EventPoll) {
        streams[ObjectIdentifier(one.stream)] = one
        let token = Self.token(of: one)
        sockets[token] = one
        shared.add(1)
        if !poll.watch(one.connection.socket, for: [.halfClosed, .changesOnly], token: token) { one.stream.cut() }
    }

    /// The connection must still have its socket.
    mutating func remove(_ one: SecureStream, poll: EventPoll) {
        guard streams.removeValue(forKey: ObjectIdentifier(one.stream)) != nil else { return }
        sockets[Self.token(of: one)] = nil
        shared.add(-1)
        poll.remove(one.connection.socket)
    }

    /// Has libmicrohttpd ask for what waits. Returns false if the stream is not over TLS.
    func wake(_ stream: DetachedStream) -> Bool {
        guard !streams.isEmpty, let one = streams[ObjectIdentifier(stream)] else { return false }
        one.wake()
        return true
    }

    /// Takes in what has happened at a socket. Returns false if it is none of theirs.
    func handle(token: UInt64, _ readiness: Readiness) -> Bool {
        guard token & Self.mark != 0 else { return false }
        guard let one = sockets[token] else { return true }
        if readiness.isBroken || readiness.contains(.halfClosed) && one.stream.endsWithPeer { one.drop() }
        return true
    }

    /// Cuts every stream, whatever waits.
    func dropAll() {
        for one in streams.values { one.drop() }
    }

    mutating func look(at now: Int) {
        guard !streams.isEmpty, now >= nextLook else { return }
        nextLook = now + shared.keepAlive.tick
        for one in streams.values {
            if one.isHopeless(now: now) {
                one.drop()
            } else if one.isSilent(for: shared.keepAlive.silence, now: now) {
                _ = one.stream.send(shared.keepAlive.frame.whole)
            }
        }
    }
}
