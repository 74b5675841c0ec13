/// Which hosts only this machine can reach.
enum Loopback {
    /// `localhost`, 127.0.0.0/8 (RFC 1122 section 3.2.1.3) and `::1` (RFC 4291 section 2.5.3).
    static func contains(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
    }
}
