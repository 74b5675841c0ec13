import Glibc
import Posix
import HTTPTransport
import Locking

/// Listens on a port of its own and answers each connection as a closure does, on a thread.
final class RawServer: Sendable {
    /// One connection, whose request has come.
    struct Connection {
        fileprivate let socket: Int32

        /// - Returns: false if nobody takes it any more.
        @discardableResult
        func send(_ text: String) -> Bool {
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        /// That many bytes of the body; fewer if no more come.
        func receive(_ count: Int) -> String {
            var (bytes, byte): ([UInt8], UInt8) = ([], 0)
            while bytes.count < count, unsafe recv(socket, &byte, 1, 0) > 0 { bytes.append(byte) }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// Until the client has gone.
        func waitForEnd() {
            var byte: UInt8 = 0
            while unsafe recv(socket, &byte, 1, 0) > 0 {}
        }
    }

    private struct State {
        var requests: [String] = []
        var ended = 0
    }

    let port: UInt16
    private let listener: Int32
    private let state = Lock(State())

    /// The heads of the requests that came.
    var requests: [String] { state.withLock { $0.requests } }

    /// How many connections have ended.
    var ended: Int { state.withLock { $0.ended } }

    init?(_ answer: @escaping @Sendable (Connection, Int) -> Void) {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe bind(listener, generic, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, generic, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isBound else { return nil }
        Self.detach { [weak self] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { break }
                Self.detach { [weak self] in
                    let connection = Connection(socket: socket)
                    let head = Self.head(socket)
                    let number = self?.state.withLock { state in
                        state.requests.append(head)
                        return state.requests.count
                    }
                    if let number { answer(connection, number) }
                    self?.state.withLock { $0.ended += 1 }
                    close(socket)
                }
            }
            close(listener)
        }
    }

    /// Ends the thread that listens. It closes its own socket: the number, once free, may be that of the next server, whose
    /// connections this one would take.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func head(_ socket: Int32) -> String {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), unsafe recv(socket, &byte, 1, 0) > 0 { head.append(byte) }
        return String(decoding: head, as: UTF8.self)
    }

    private static func detach(_ body: @escaping @Sendable () -> Void) {
        Thread.start(name: "server", body)
    }
}
