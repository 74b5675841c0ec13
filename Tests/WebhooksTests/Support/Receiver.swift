import Locking
import Glibc
import Posix

/// A request as a receiver saw it.
struct ReceivedRequest: Sendable {
    let method: String
    let path: String
    /// Names lowered.
    let headers: [(name: String, value: String)]
    let body: [UInt8]
    /// The number of its connection, from 0.
    let connection: Int

    func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}

/// What a receiver does with a request.
enum Reply: Sendable {
    case status(Int, headers: [String] = [], body: [UInt8] = [])
    /// Answers after the client has gone, that is never.
    case hang
    /// Closes with RST instead of answering.
    case reset
    /// Sends these bytes and closes.
    case raw(String)
}

/// A small HTTP/1.1 server on a loopback port of the system's choosing: a thread per connection, blocking sockets.
final class Receiver: Sendable {
    typealias Behaviour = @Sendable (ReceivedRequest) -> Reply

    private struct State {
        var requests: [ReceivedRequest] = []
        var connections = 0
        var open: Set<Int32> = []
        var concurrent = 0
        var mostConcurrent = 0
        var isStopped = false
    }

    let port: Int
    private let listener: Int32
    private let behaviour: Behaviour
    private let greeting: String?
    private let state = Lock(State())

    /// - Parameters:
    ///   - greeting: sent at once on each connection, which is then closed; for what does not speak HTTP.
    ///   - behaviour: the reply to each request.
    init(greeting: String? = nil, _ behaviour: @escaping Behaviour = { _ in .status(200) }) throws {
        let (listener, port) = try Self.listen()
        self.listener = listener
        self.port = port
        self.behaviour = behaviour
        self.greeting = greeting
        Thread.start(name: "receiver") { self.accept() }
    }

    var url: String { "http://127.0.0.1:\(port)/hook" }
    var requests: [ReceivedRequest] { state.withLock { $0.requests } }
    var connections: Int { state.withLock { $0.connections } }
    /// Whether all requests that have come are answered.
    var isIdle: Bool { state.withLock { $0.concurrent == 0 } }
    var mostConcurrent: Int { state.withLock { $0.mostConcurrent } }
    var openConnections: Int { state.withLock { $0.open.count } }

    /// Ends the threads. Each closes its own socket.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            for socket in state.open { shutdown(socket, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// A port nobody listens on.
    static func closedPort() throws -> Int {
        let (listener, port) = try listen()
        close(listener)
        return port
    }

    private struct SocketError: Error {
        let number = errno
    }

    private static func listen() throws -> (Int32, Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw SocketError() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, length) == 0 && Glibc.listen(listener, 1024) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard result else { throw SocketError() }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    private func accept() {
        while true {
            let socket = Glibc.accept(listener, nil, nil)
            guard socket >= 0 else { break }
            let number = state.withLock { state -> Int? in
                guard !state.isStopped else { return nil }
                state.open.insert(socket)
                state.connections += 1
                return state.connections - 1
            }
            guard let number else {
                close(socket)
                break
            }
            Thread.start(name: "receiver") {
                self.serve(socket, number: number)
                // Out of the set before it is closed, so that stop() never touches a number that is someone else's.
                _ = self.state.withLock { $0.open.remove(socket) }
                close(socket)
            }
        }
        close(listener)
    }

    private func serve(_ socket: Int32, number: Int) {
        var reader = SocketReader(socket: socket)
        if let greeting {
            _ = send(socket, Array(greeting.utf8))
            return
        }
        while let request = reader.next(connection: number) {
            state.withLock { state in
                state.requests.append(request)
                state.concurrent += 1
                state.mostConcurrent = max(state.mostConcurrent, state.concurrent)
            }
            defer { state.withLock { $0.concurrent -= 1 } }
            switch behaviour(request) {
            case .status(let status, let headers, let body):
                let lines = ["HTTP/1.1 \(status) Answer", "Content-Length: \(body.count)"] + headers
                guard send(socket, Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body) else { return }
            case .hang:
                _ = reader.next(connection: number)
                return
            case .reset:
                var option = linger(l_onoff: 1, l_linger: 0)
                unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
                return
            case .raw(let text):
                _ = send(socket, Array(text.utf8))
                return
            }
        }
    }

    private func send(_ socket: Int32, _ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes { bytes in
                unsafe Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

/// Reads requests with a `Content-Length` off a socket.
private struct SocketReader {
    let socket: Int32
    var buffer: [UInt8] = []

    init(socket: Int32) {
        self.socket = socket
    }

    /// The next request, or `nil` at the end of the connection.
    mutating func next(connection: Int) -> ReceivedRequest? {
        var end = headEnd
        while end == nil {
            guard fill() else { return nil }
            end = headEnd
        }
        guard let end else { return nil }
        let lines = String(decoding: buffer[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines[0].split(separator: " ")
        let headers = lines.dropFirst().map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            let value = line[colon...].dropFirst().drop { $0 == " " }
            return (name: line[..<colon].lowercased(), value: String(value))
        }
        let length = headers.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        buffer.removeFirst(end + 4)
        while buffer.count < length {
            guard fill() else { return nil }
        }
        let body = Array(buffer.prefix(length))
        buffer.removeFirst(length)
        return ReceivedRequest(
            method: String(words[0]),
            path: String(words[1]),
            headers: headers,
            body: body,
            connection: connection
        )
    }

    private var headEnd: Int? {
        guard buffer.count >= 4 else { return nil }
        return (0...(buffer.count - 4)).first { buffer[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10]) }
    }

    private mutating func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe chunk.withUnsafeMutableBytes { bytes in
            unsafe recv(socket, bytes.baseAddress, bytes.count, 0)
        }
        guard count > 0 else { return false }
        buffer.append(contentsOf: chunk[..<count])
        return true
    }
}
