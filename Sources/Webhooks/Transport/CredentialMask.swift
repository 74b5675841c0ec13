import FoundationEssentials

/// Takes the credentials that were sent out of what came back: an endpoint in trouble may answer with its request.
struct CredentialMask: Sendable {
    /// Not compared one by one: the registrant chooses how many there are and how they begin, the endpoint what it answers, and
    /// all that goes to every endpoint waits meanwhile.
    private let credentials: WordSearch

    /// A word that is shorter hides nothing, and would be found everywhere.
    private static let shortest = 4

    /// Masks the values of headers that are credentials, whole and in what parts an endpoint may show them.
    init(_ headers: [CustomHeader]) {
        credentials = WordSearch(
            headers.filter(\.isSensitive)
                .flatMap { Self.parts(of: $0) }
                .filter { $0.count >= Self.shortest }
        )
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
    var longest: Int { credentials.longest }

    /// Bytes with a mark in the place of each credential: of the longest, where one is a part of another.
    ///
    /// - Parameter limit: how many to go through, and to return at most. A credential that begins before it is found if
    ///   ``longest`` more are given.
    func masked(_ bytes: [UInt8], limit: Int = .max) -> [UInt8] {
        guard longest > 0 else { return Array(bytes.prefix(limit)) }
        let lengths = credentials.lengths(in: bytes)
        var masked: [UInt8] = []
        var place = 0
        while place < min(bytes.count, limit) {
            if lengths[place] > 0 {
                masked += CustomHeader.redacted.utf8
                place += lengths[place]
            } else {
                masked.append(bytes[place])
                place += 1
            }
        }
        return Array(masked.prefix(limit))
    }
}
