import Crypto

/// The SHA-256 of a credential: what is stored and compared instead of it.
struct CredentialHash: Hashable, Sendable {
    /// The 32 bytes as they lie in memory.
    let words: SIMD4<UInt64>

    /// The hash of a credential's bytes.
    init(of credential: some StringProtocol) {
        var hash = SHA256()
        // `unsafe`: the bytes are read inside the closure that lends them.
        let done: Void? = credential.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
        }
        if done == nil { hash.update(data: Array(credential.utf8)) }
        self.init(hash.finalize())
    }

    /// The hash of other bytes, such as a key's.
    init(of bytes: [UInt8]) {
        self.init(SHA256.hash(data: bytes))
    }

    /// 64 hexadecimal digits; nil for any other text.
    init?(hexadecimal text: String) {
        let digits = text.utf8.compactMap(\.hexadecimalDigit)
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        var words = SIMD4<UInt64>()
        for word in 0..<4 {
            // Bytes in memory order, whatever the machine's.
            for byte in (0..<8).reversed() {
                let place = (word * 8 + byte) * 2
                words[word] = words[word] << 8 | UInt64(digits[place] << 4 | digits[place + 1])
            }
        }
        self.words = words
    }

    private init(_ digest: SHA256.Digest) {
        // `unsafe`: the digest's 32 bytes are copied inside the closure that lends them.
        let words = unsafe digest.withUnsafeBytes { unsafe $0.loadUnaligned(as: SIMD4<UInt64>.self) }
        self.words = SIMD4(
            UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]), UInt64(littleEndian: words[2]),
            UInt64(littleEndian: words[3])
        )
    }

    /// 64 hexadecimal digits in lower case.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for word in 0..<4 {
            for byte in 0..<8 {
                let value = Int(words[word] >> (8 * UInt64(byte)) & 0xFF)
                text.append(digits[value >> 4])
                text.append(digits[value & 0xF])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension UInt8 {
    /// The value of an ASCII digit of base 16; nil for any other byte.
    var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
