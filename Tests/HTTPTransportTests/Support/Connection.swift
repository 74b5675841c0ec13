import Glibc
import Testing

/// The two ends of a TCP connection of this machine.
func connection() throws -> (Int32, Int32) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    try #require(listen(listener, 1) == 0)
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout.size(ofValue: address))
    let near = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let isConnected = unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
            unsafe getsockname(listener, name, &size) == 0 && connect(near, name, size) == 0
        }
    }
    try #require(isConnected)
    return (near, accept(listener, nil, nil))
}
