import CCurl
import Glibc

/// Listens under an abstract name that the kernel has chosen (unix(7), "Autobind feature"), takes what connects, and
/// says nothing.
struct UnansweringSocket: ~Copyable {
    /// The name, without the NUL before it.
    let name: String

    private let listener: Int32
    private var peer: Int32 = -1

    /// Fails where the system has no such sockets, or no more descriptors.
    init?() {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        listener = socket(AF_UNIX, type, 0)
        guard let name = Self.bind(listener), listen(listener, 1) == 0 else {
            if listener >= 0 { _ = close(listener) }
            return nil
        }
        self.name = name
    }

    deinit {
        if peer >= 0 { _ = close(peer) }
        _ = close(listener)
    }

    /// Whether something has been said to it.
    mutating func wasAddressed() -> Bool {
        if peer < 0 { peer = accept(listener, nil, nil) }
        var byte: UInt8 = 0
        return unsafe recv(peer, &byte, 1, Int32(MSG_DONTWAIT)) > 0
    }

    private static func bind(_ socket: Int32) -> String? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                let family = socklen_t(MemoryLayout<sa_family_t>.size)
                guard unsafe Glibc.bind(socket, generic, family) == 0,
                    unsafe getsockname(socket, generic, &length) == 0
                else {
                    return nil
                }
                let bytes = unsafe UnsafeRawBufferPointer(start: generic, count: Int(length)).dropFirst(Int(family) + 1)
                return unsafe String(decoding: bytes, as: UTF8.self)
            }
        }
    }
}
