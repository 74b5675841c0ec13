import Synchronization

/// Makes and checks request identifiers.
enum RequestID {
    private static let prefix = UInt64.random(in: .min ... .max)
    private static let counter = Atomic<UInt64>(0)

    /// Unique in this process and, by its random prefix, among restarts.
    static func next() -> String {
        let number = counter.add(1, ordering: .relaxed).newValue
        var rest = prefix &+ number &* 0x9E37_79B9_7F4A_7C15
        // Each answer has one: made without what makes numbers of any size into text.
        return unsafe String(unsafeUninitializedCapacity: 16) { text in
            for place in 0..<16 {
                rest = rest << 4 | rest >> 60
                let digit = UInt8(truncatingIfNeeded: rest & 15)
                unsafe text[place] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
            }
            return 16
        }
    }

    /// The client's own identifier if it can stand in a header and a log line as it is.
    static func accept(_ text: String) -> String? {
        guard (1...128).contains(text.utf8.count) else { return nil }
        let isSane = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "._~:/+=-".utf8.contains(byte)
            }
        }
        return isSane ? text : nil
    }
}
