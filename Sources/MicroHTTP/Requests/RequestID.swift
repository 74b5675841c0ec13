import Notation
import Synchronization

/// Makes and checks request identifiers.
enum RequestID {
    private static let prefix = UInt64.random(in: .min ... .max)
    private static let counter = Atomic<UInt64>(0)

    /// Unique in this process and, by its random prefix, among restarts.
    static func next() -> String {
        let number = counter.add(1, ordering: .relaxed).newValue
        return String(hexadecimal: prefix &+ number &* 0x9E37_79B9_7F4A_7C15)
    }

    /// The client's own identifier if it can stand in a header and a log line as it is.
    static func accept(_ text: String) -> String? {
        guard (1...128).contains(text.utf8.count) else { return nil }
        return text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "._~:/+=-".utf8.contains($0) } ? text : nil
    }
}
