import MicroHTTP
import Notation

/// What one proxy tells of the request that it was sent.
struct ForwardedElement {
    /// Who sent it; nil if that is hidden, not known or not told.
    var node: ForwardedNode?
    /// The `Host` that it had, in lower case; nil if that is not told, or is no host.
    var host: String?
    /// `http` or `https`; nil if that is not told.
    var scheme: String?

    static func host(_ bytes: ArraySlice<UInt8>) -> String? {
        Authority(bytes) == nil ? nil : String(decoding: bytes.map(\.asciiLowercased), as: UTF8.self)
    }

    static func scheme(_ bytes: ArraySlice<UInt8>) -> String? { ["http", "https"].first(where: bytes.isEqual) }
}

extension ArraySlice<UInt8> {
    /// Without the blanks at both ends.
    var trimmed: ArraySlice<UInt8> {
        var rest = drop { $0.isBlank }
        while let last = rest.last, last.isBlank { rest.removeLast() }
        return rest
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
