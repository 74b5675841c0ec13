import Glibc

/// What a server is told to listen on, as a text.
package enum ListenAddress {
    /// Whether it is an address, as getaddrinfo(3) reads it without asking anybody: `127.0.0.1`, `::1` or `fe80::1%eth0`.
    package static func isNumeric(_ text: String) -> Bool {
        // The system would take what stands before it.
        guard !text.utf8.contains(0) else { return false }
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST
        var list: UnsafeMutablePointer<addrinfo>?
        // `unsafe`: the list that is handed out is freed, once.
        guard unsafe getaddrinfo(text, nil, &hints, &list) == 0 else { return false }
        unsafe freeaddrinfo(list)
        return true
    }
}
