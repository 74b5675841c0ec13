import Glibc
import HTTPTransport
import Posix
import Testing

/// Requests over a real socket.
@Suite("Requests", .timeLimit(.minutes(1)))
struct HTTPClientTests {
    /// A socket that listens at a port of this machine.
    private let listener: Int32
    private let port: UInt16

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(listen(listener, 1) == 0)
        let port = Self.port { unsafe getsockname(listener, $0, $1) }
        self.port = try #require(port)
        self.listener = listener
    }

    /// The port of a name that getsockname(2) or getpeername(2) tells; nil if there is none.
    private static func port(
        _ tell: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> UInt16? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isTold = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe tell($0, &size) == 0 }
        }
        return isTold && address.sin_family == sa_family_t(AF_INET) ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// Takes one connection, and answers with the beginning of a body that does not end.
    private func answer() {
        let listener = listener
        Thread.start(name: "server") {
            let far = accept(listener, nil, nil)
            close(listener)
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1"
            _ = unsafe send(far, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
            var byte: UInt8 = 0
            while unsafe recv(far, &byte, 1, 0) > 0 {}
            close(far)
        }
    }

    /// Takes one connection, and answers with the head that came.
    private func repeatHead() {
        let listener = listener
        Thread.start(name: "server") {
            let far = accept(listener, nil, nil)
            close(listener)
            var head: [UInt8] = []
            var byte: UInt8 = 0
            while !head.ends(with: "\r\n\r\n"), unsafe recv(far, &byte, 1, 0) == 1 { head.append(byte) }
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: \(head.count)\r\n\r\n".utf8) + head
            _ = unsafe send(far, answer, answer.count, Int32(MSG_NOSIGNAL))
            close(far)
        }
    }

    @Test("a name of a field is one, whatever is in it")
    func names() async throws {
        repeatHead()
        let client = HTTPClient(HTTPOptions(userAgent: "test"))
        var request = HTTPRequest("GET", "http://127.0.0.1:\(port)/", isDirect: true)
        request.headers = [("x: 1\r\n\r\nDELETE / HTTP/1.1\r\ny", "2"), ("é\u{0}", "3"), ("", "4"), ("plain", "5")]
        let head = String(decoding: try await client.send(request).body(atMost: 4096), as: UTF8.self)
        let lines = head.split(separator: "\r\n").dropFirst().filter {
            !$0.hasPrefix("Host:") && !$0.hasPrefix("Accept:")
        }
        #expect(
            lines == [
                "User-Agent: test", "x%3A%201%0D%0A%0D%0ADELETE%20%2F%20HTTP%2F1.1%0D%0Ay: 2", "%C3%A9%00: 3",
                "plain: 5",
            ]
        )
    }

    @Test("no program that is started meanwhile inherits the connection")
    func inheritance() async throws {
        answer()
        let client = HTTPClient(HTTPOptions(userAgent: "test"))
        let response = try await client.send(HTTPRequest("GET", "http://127.0.0.1:\(port)/", isDirect: true))
        let sockets = (0..<1024).map { Int32($0) }.filter { socket in
            Self.port { unsafe getpeername(socket, $0, $1) } == port
        }
        #expect(sockets.count == 1)
        for socket in sockets { #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0) }
        withExtendedLifetime(response) {}
    }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
