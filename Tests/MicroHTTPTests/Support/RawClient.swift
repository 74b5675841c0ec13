import Glibc

/// A blocking TCP client that says exactly what it is told to, and gives up at its deadline.
///
/// `@unchecked Sendable`: one task at a time uses it.
final class RawClient: @unchecked Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ call: String) {
            description = unsafe "\(call): \(String(cString: strerror(errno)))"
        }
    }

    private var socket: Int32
    /// What was received and not yet asked for.
    private(set) var buffer: [UInt8] = []
    /// Whether the connection has ended, or the chunked body that was being read.
    private(set) var isAtEnd = false
    /// Whether a chunked body came to its end, not only the connection.
    var endedInOrder: Bool { chunks?.isOver ?? false }
    /// Takes the chunks apart that are being received.
    private var chunks: ChunkDecoder?

    /// - Parameters:
    ///   - receiveBuffer: `SO_RCVBUF`, to be a slow reader; the kernel doubles it.
    ///   - deadline: in seconds, for each call.
    init(port: UInt16, receiveBuffer: Int32? = nil, deadline: Double = 10) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw Failure("socket") }
        if var size = receiveBuffer {
            _ = unsafe setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, 4)
        }
        var limit = timeval(tv_sec: Int(deadline), tv_usec: Int(deadline * 1e6) % 1_000_000)
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafeBytes(of: &address) {
            unsafe connect(
                socket,
                $0.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(MemoryLayout<sockaddr_in>.size)
            )
        }
        guard result == 0 else {
            close()
            throw Failure("connect")
        }
    }

    deinit {
        close()
    }

    func close() {
        if socket >= 0 { Glibc.close(socket) }
        socket = -1
    }

    /// Closes with a reset instead of an orderly end.
    func reset() {
        var off = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &off, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Closes this half of the connection.
    func finishSending() {
        _ = shutdown(socket, Int32(SHUT_WR))
    }

    func send(_ text: String) throws {
        try send(bytes: Array(text.utf8))
    }

    func send(bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { throw Failure("send") }
            rest = rest.dropFirst(sent)
        }
    }

    /// Receives once more. Returns false at the end.
    @discardableResult
    func receive(upTo count: Int = 65_536) throws -> Bool {
        guard !isAtEnd else { return false }
        var received = 0
        let part = unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            received = unsafe recv(socket, bytes.baseAddress, count, 0)
            filled = max(0, received)
        }
        guard received >= 0 else { throw Failure("recv") }
        buffer += chunks?.decode(part) ?? part
        isAtEnd = received == 0 || endedInOrder
        return received > 0
    }

    /// What is received from here on are chunks (RFC 9112 section 7.1); what is taken is their data.
    func beginChunks() {
        var decoder = ChunkDecoder()
        buffer = decoder.decode(buffer)
        chunks = decoder
        isAtEnd = isAtEnd || decoder.isOver
    }

    /// After the end of a chunked body: the next response may be read.
    func endChunks() {
        buffer = chunks?.rest ?? []
        chunks = nil
        isAtEnd = false
    }

    /// Takes that many bytes.
    func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try receive() else { throw Failure("the connection ended after \(buffer.count) bytes") }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// Takes all up to and including the text.
    func take(through text: String) throws -> String {
        let needle = Array(text.utf8)
        var searched = 0
        while true {
            var index = searched
            while index + needle.count <= buffer.count {
                if buffer[index] == needle[0], buffer[index..<index + needle.count].elementsEqual(needle) {
                    return String(decoding: try take(index + needle.count), as: UTF8.self)
                }
                index += 1
            }
            searched = index
            guard try receive() else {
                throw Failure("the connection ended before \(text.debugDescription)")
            }
        }
    }

    /// Takes all until the connection ends.
    func takeAll() throws -> [UInt8] {
        while try receive() {}
        defer { buffer = [] }
        return buffer
    }
}
