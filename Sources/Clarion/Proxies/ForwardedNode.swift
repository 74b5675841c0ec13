import Notation
import Posix

/// An address with or without a port, as proxies write it: `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::7`,
/// `[2001:db8::7]`, `[2001:db8::7]:4711` (RFC 7239 section 6).
struct ForwardedNode {
    /// IPv4-mapped ones are IPv4: a client has one address, whatever socket it came by.
    let address: IPAddress
    private let port: UInt16?

    /// - Returns: nil for anything else, such as `unknown` and identifiers that hide an address (`_secret`).
    init?(_ bytes: ArraySlice<UInt8>) {
        let (host, rest) = Self.split(bytes)
        guard host.count <= Self.longest, let address = IPAddress(String(decoding: host, as: UTF8.self)) else {
            return nil
        }
        self.address = address.unmapped
        guard let colon = rest.first else {
            port = nil
            return
        }
        let digits = rest.dropFirst()
        guard colon == UInt8(ascii: ":"), !digits.isEmpty else { return nil }
        // A port may be hidden, too (RFC 7239 section 6.2).
        guard digits.first != UInt8(ascii: "_") else {
            port = nil
            return
        }
        guard let port = UInt16(digits: digits) else { return nil }
        self.port = port
    }

    /// As ``Request/remoteAddress`` has it.
    var text: String {
        let host = address.family == .v6 ? "[\(address)]" : address.description
        return port.map { "\(host):\($0)" } ?? host
    }

    /// No text of an address is longer (INET6_ADDRSTRLEN).
    private static let longest = 46

    /// The address without its brackets, and what follows it.
    private static func split(_ bytes: ArraySlice<UInt8>) -> (host: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
        guard bytes.first == UInt8(ascii: "[") else {
            // With one colon it has a port; with more it is an IPv6 address.
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes.lastIndex(of: UInt8(ascii: ":")) == colon
            else { return (bytes, []) }
            return (bytes[..<colon], bytes[colon...])
        }
        guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return ([], bytes) }
        return (bytes[(bytes.startIndex + 1)..<bracket], bytes[(bracket + 1)...])
    }
}
