import Glibc
import Testing

/// A raw client on a non-blocking socket.
@safe
final class TestClient {
    private let descriptor: Int32
    private var bytes: [UInt8] = []
    private var hasEnded = false

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
                if count == 0 { hasEnded = true }
                guard count > 0 else { return }
                unsafe bytes.append(contentsOf: buffer.prefix(count))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// All of it, once the other side has ended the connection.
    func receivedToTheEnd() async throws -> String {
        try await eventually {
            _ = received()
            return hasEnded
        }
        return received()
    }

    func close() {
        Glibc.close(descriptor)
    }
}
