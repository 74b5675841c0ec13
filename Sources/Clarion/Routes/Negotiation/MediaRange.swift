import MicroHTTP
import Notation

/// One element of an `Accept` field (RFC 9110 section 12.5.1).
struct MediaRange: Hashable {
    /// The type and subtype in lower case, such as `text/*`.
    let name: String
    /// 0 (not acceptable) to 1.
    let quality: Double

    /// The elements of all fields of a request, in order.
    static func all(in fields: [String]) -> [MediaRange] {
        fields.flatMap { parts(of: Array($0.utf8)[...], at: UInt8(ascii: ",")) }.compactMap(MediaRange.init)
    }

    /// - Returns: nil for an empty element.
    private init?(_ element: ArraySlice<UInt8>) {
        let parts = Self.parts(of: element, at: UInt8(ascii: ";"))
        name = parts.first.map { ContentType.essence(String(decoding: $0, as: UTF8.self)) } ?? ""
        guard !name.isEmpty else { return nil }
        let parameters = parts.dropFirst().map { $0.filter { $0 != 0x20 && $0 != 0x09 } }
        let weight = parameters.first { $0.map(\.asciiLowercased).starts(with: "q=".utf8) }?.dropFirst(2)
        quality = weight.map(Self.quality) ?? 1
    }

    /// A weight (section 12.4.2). One above 1 is 1; what is no such number is 0, so that nothing is chosen by mistake.
    private static func quality(_ text: ArraySlice<UInt8>) -> Double {
        // `Double` alone would also take "nan", "inf", "-1", "1e9" and "0x1p-1".
        guard text.allSatisfy({ $0 == UInt8(ascii: ".") || $0.isDigit }) else { return 0 }
        return Double(String(decoding: text, as: UTF8.self)).map { min($0, 1) } ?? 0
    }

    /// What stands between the delimiters; those in quoted strings (section 5.6.4) are none.
    private static func parts(of text: ArraySlice<UInt8>, at delimiter: UInt8) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for (index, byte) in zip(text.indices, text) {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case delimiter where !isQuoted:
                parts.append(text[start..<index])
                start = index + 1
            default: break
            }
        }
        return parts + [text[start...]]
    }
}

extension [MediaRange] {
    /// The weight of the first of these names that is among the ranges; 0 if none is. The most specific range that is there
    /// decides, not the best.
    func quality(_ names: String...) -> Double {
        names.lazy.compactMap { name in first { $0.name == name }?.quality }.first ?? 0
    }

    /// The weight of what is of a type.
    func quality(ofType contentType: String) -> Double {
        let name = ContentType.essence(contentType)
        return quality(name, "\(name.prefix { $0 != "/" })/*", "*/*")
    }
}
