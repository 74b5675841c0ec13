import FoundationEssentials

/// Takes the credentials that were sent out of what came back: an endpoint in trouble may answer with its request.
struct CredentialMask: Sendable {
    private let credentials: [[UInt8]]

    /// The length of the longest in bytes; 0 if there are none.
    let longest: Int

    /// A word that is shorter hides nothing, and would be found everywhere.
    private static let shortest = 4

    /// The most bytes of credentials that an answer is searched for: a field of 4 KiB twice, with its scheme and without, and
    /// more.
    private static let mostSearched = 12 << 10

    /// Masks the values of headers that are credentials, whole and in what parts an endpoint may show them.
    init(_ headers: [CustomHeader]) {
        let parts = headers.filter(\.isSensitive).flatMap { Self.parts(of: $0) }
        credentials = Array(Set(parts.filter { $0.count >= Self.shortest }))
        longest = credentials.reduce(0) { max($0, $1.count) }
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

    /// Bytes with a mark in the place of each credential: of the longest, where one is a part of another. Nothing of them if
    /// there may be more credentials in them than are searched for.
    ///
    /// The registrant chooses how many credentials there are and how they begin, the endpoint what it answers, and all that
    /// goes to every endpoint waits meanwhile: so they are not compared one by one. And what they are searched with is made
    /// of those that the answer may have, for it takes sixteen times their memory, and most answers have none.
    ///
    /// - Parameter limit: how many to go through, and to return at most. A credential that begins before it is found if
    ///   ``longest`` more are given.
    func masked(_ bytes: [UInt8], limit: Int = .max) -> [UInt8] {
        guard !credentials.isEmpty else { return Array(bytes.prefix(limit)) }
        let beginnings = Beginnings(in: bytes)
        let likely = credentials.filter { beginnings.mayContain($0) }
        guard !likely.isEmpty else { return Array(bytes.prefix(limit)) }
        guard likely.reduce(0, { $0 + $1.count }) <= Self.mostSearched else { return [] }
        let lengths = WordSearch(likely).lengths(in: bytes)
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

/// Which four bytes a text has, one after the other: what does not begin with four of them is not in it.
private struct Beginnings {
    /// A bit for each 16 bits that four bytes are mixed to.
    private var bits = [UInt64](repeating: 0, count: 1 << 10)

    init(in text: [UInt8]) {
        guard text.count >= 4 else { return }
        for place in 0...text.count - 4 {
            let mixed = Self.mixed(text[place..<place + 4])
            bits[mixed >> 6] |= 1 << UInt64(mixed & 63)
        }
    }

    func mayContain(_ word: [UInt8]) -> Bool {
        let mixed = Self.mixed(word.prefix(4))
        return bits[mixed >> 6] & (1 << UInt64(mixed & 63)) != 0
    }

    private static func mixed(_ bytes: ArraySlice<UInt8>) -> Int {
        Int((bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } &* 2_654_435_761) >> 16)
    }
}
