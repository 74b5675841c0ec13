import Crypto
import Notation

/// The SHA-256 of a credential: what is stored and compared instead of it.
///
/// Four numbers rather than a vector of four: that would be aligned to 32 bytes, and Swift 6.3 puts values of asynchronous
/// functions into memory aligned to 16.
struct CredentialHash: Hashable, Sendable {
    /// The 32 bytes in their order, each eight of them as a little-endian number.
    let first, second, third, fourth: UInt64

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
        let digits = text.utf8.compactMap(\.hexDigitValue)
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        self.init(bytes: (0..<32).map { digits[$0 * 2] << 4 | digits[$0 * 2 + 1] })
    }

    private init(_ digest: SHA256.Digest) {
        // `unsafe`: the digest's 32 bytes are copied inside the closure that lends them.
        self = unsafe digest.withUnsafeBytes { bytes in
            func word(_ number: Int) -> UInt64 {
                UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: number * 8, as: UInt64.self))
            }
            return CredentialHash(first: word(0), second: word(1), third: word(2), fourth: word(3))
        }
    }

    private init(first: UInt64, second: UInt64, third: UInt64, fourth: UInt64) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
    }

    /// - Parameter bytes: 32 of them.
    private init(bytes: some RandomAccessCollection<UInt8>) {
        func word(_ number: Int) -> UInt64 {
            bytes.dropFirst(number * 8).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        first = word(0)
        second = word(1)
        third = word(2)
        fourth = word(3)
    }

    /// What differs between both, zero if nothing does. Takes the same time for any two.
    func difference(from other: CredentialHash) -> UInt64 {
        (first ^ other.first) | (second ^ other.second) | (third ^ other.third) | (fourth ^ other.fourth)
    }

    /// 64 hexadecimal digits in lower case.
    var hexadecimal: String {
        [first, second, third, fourth].map { String(hexadecimal: $0.byteSwapped) }.joined()
    }
}
