import Glibc

/// IPv6 addresses as far as they tell one customer from another.
enum IPv6Network {
    /// The first 64 bits of an address, as text; the text itself if it is none.
    static func prefix64(of text: some StringProtocol) -> String {
        var address = in6_addr()
        guard unsafe inet_pton(AF_INET6, String(text), &address) == 1 else { return String(text) }
        return unsafe withUnsafeBytes(of: address) { bytes in
            unsafe String(bytes.loadUnaligned(as: UInt64.self).bigEndian, radix: 16)
        }
    }
}
