import FoundationEssentials

/// Takes the credentials that were sent out of what came back: an endpoint in trouble may answer with its request.
struct CredentialMask: Sendable {
    /// The longest first, since one may be a part of another.
    private let credentials: [[UInt8]]

    /// A word that is shorter hides nothing, and would be found everywhere.
    private static let shortest = 4

    /// Masks the values of headers that are credentials, whole and in what parts an endpoint may show them.
    init(_ headers: [CustomHeader]) {
        credentials = headers.filter(\.isSensitive)
            .flatMap { Self.parts(of: $0) }
            .filter { $0.count >= Self.shortest }
            .sorted { $0.count > $1.count }
    }

    /// A value whole, without the scheme in front (RFC 9110 section 11.4), what Basic has encoded and both parts of that (RFC
    /// 7617 section 2), and each cookie with its name and without (RFC 6265 section 4.2.1).
    private static func parts(of header: CustomHeader) -> [[UInt8]] {
        let value = Array(header.value.utf8)
        var parts = [value]
        if header.name.lowercased() == "cookie" {
            for pair in value.split(separator: UInt8(ascii: ";")) {
                let cookie = pair.drop { $0 == UInt8(ascii: " ") }
                parts.append(Array(cookie))
                let value = cookie.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                parts += value.dropFirst().map(Array.init)
            }
        }
        for credential in value.split(separator: UInt8(ascii: " "), maxSplits: 1).dropFirst() {
            parts.append(Array(credential))
            guard let plain = Data(base64Encoded: Data(credential)).map({ Array($0) }) else { continue }
            parts.append(plain)
            parts += plain.split(separator: UInt8(ascii: ":"), maxSplits: 1).map(Array.init)
        }
        return parts
    }

    /// The length of the longest in bytes; 0 if there are none.
    var longest: Int { credentials.first?.count ?? 0 }

    /// Bytes with a mark in the place of each credential.
    ///
    /// - Parameter limit: how many to go through, and to return at most. A credential that begins before it is found if
    ///   ``longest`` more are given.
    func masked(_ bytes: [UInt8], limit: Int = .max) -> [UInt8] {
        guard !credentials.isEmpty else { return Array(bytes.prefix(limit)) }
        var masked: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty, rest.startIndex < limit {
            if let found = credentials.first(where: { rest.starts(with: $0) }) {
                masked += CustomHeader.redacted.utf8
                rest = rest.dropFirst(found.count)
            } else {
                masked.append(rest.removeFirst())
            }
        }
        return Array(masked.prefix(limit))
    }
}
