import FoundationEssentials

/// Points of edwards25519 (RFC 8032 section 5.1) that are no keys.
enum EdwardsPoint {
    /// Those whose order is 1, 2, 4 or 8, and the other ways to write them, without the sign of x: p - 1, p and p + 1 are -1, 0
    /// and 1. A signature by a key that is one of them says nothing of who made it, and libraries take them.
    private static let ofSmallOrder: Set<[UInt8]> = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        bytes("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
        bytes("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    ]

    /// - Parameter base64url: 32 bytes.
    static func isOfSmallOrder(_ base64url: String) -> Bool {
        guard var bytes = Base64URL.decode(base64url.utf8), bytes.count == 32 else { return false }
        bytes[31] &= 0x7F
        return ofSmallOrder.contains([UInt8](bytes))
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
