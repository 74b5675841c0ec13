import JSON
import MicroHTTP
import Notation

/// The rules of content types.
enum ContentType {
    static let json = "application/json"

    /// What a `PATCH` is taken as.
    static let patches = ["application/merge-patch+json", json]

    /// The most bytes of one that is kept: beside everything else it must fit the head of an answer.
    static let maximumLength = 255

    /// What a request says that its body is.
    ///
    /// - Throws: `parameter-invalid` for what could not be given back as it came.
    static func of(_ request: Request) throws(Problem) -> String? {
        guard let bytes = request.headers.bytes(of: "Content-Type") else { return nil }
        guard let text = String(utf8: bytes) else { throw invalid }
        try validate(text)
        return text
    }

    /// - Throws: `parameter-invalid`.
    static func validate(_ text: String) throws(Problem) {
        let bytes = text.utf8
        guard bytes.count <= maximumLength, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw invalid }
    }

    private static var invalid: Problem {
        Problem(
            .badRequest,
            code: "parameter-invalid",
            detail: "\"Content-Type\" has at most \(maximumLength) bytes of UTF-8 without control characters.",
            parameter: "Content-Type"
        )
    }

    /// `*/json` or any `+json` (RFC 6839), whatever its parameters.
    static func isJSON(_ contentType: String?) -> Bool {
        guard let essence = contentType.map(essence) else { return false }
        return essence.hasSuffix("/json") || essence.hasSuffix("+json")
    }

    /// Whether bytes of the type are characters: by its name, not by what the bytes happen to be.
    static func isText(_ contentType: String) -> Bool {
        let essence = essence(contentType)
        return essence.hasPrefix("text/") || textTypes.contains(essence) || essence.hasSuffix("+xml")
            || essence.hasSuffix("+yaml") || namesCharset(contentType)
    }

    private static let textTypes: Set = [
        "application/xml", "application/yaml", "application/javascript", "application/x-www-form-urlencoded",
    ]

    private static func namesCharset(_ contentType: String) -> Bool {
        var rest = contentType.utf8.map(\.asciiLowercased)[...]
        while !rest.isEmpty {
            if rest.starts(with: "charset=".utf8) { return true }
            rest.removeFirst()
        }
        return false
    }

    /// The type and subtype in lower case, without parameters. By bytes, as all of HTTP: a semicolon with an accent is one
    /// `Character`, and the sign for kelvins becomes a `k` in Unicode's lower case.
    static func essence(_ contentType: String) -> String {
        let bytes = contentType.utf8.prefix { $0 != semicolon }.filter { $0 != 0x20 && $0 != 0x09 }
        return String(decoding: bytes.map(\.asciiLowercased), as: UTF8.self)
    }

    /// Whether a content type is one, given in lower case, whatever its parameters; without making a string, because
    /// every post asks.
    static func matches(_ contentType: String, _ essence: StaticString) -> Bool {
        guard let rest = rest(of: contentType, after: essence) else { return false }
        return rest.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") } ?? semicolon == semicolon
    }

    /// Whether a content type begins so, given in lower case.
    static func hasPrefix(_ contentType: String, _ prefix: StaticString) -> Bool {
        rest(of: contentType, after: prefix) != nil
    }

    private static func rest(of contentType: String, after prefix: StaticString) -> Substring.UTF8View? {
        let bytes = contentType.utf8
        let isSame = prefix.withUTF8Buffer { expected in
            guard bytes.count >= expected.count else { return false }
            return unsafe zip(bytes, expected).allSatisfy { $0.asciiLowercased == $1 }
        }
        return isSame ? bytes.dropFirst(prefix.utf8CodeUnitCount) : nil
    }

    private static let semicolon = UInt8(ascii: ";")

    /// What an event's data is stored as. What `curl -d` claims of its data, a form, and no claim at all, both mean
    /// that it is as it looks: JSON if it is an object or an array, otherwise text if it reads as such. A bare number or
    /// word may be either, and is text.
    static func stored(_ claimed: String?, data: [UInt8]) -> String {
        if let claimed, !claimed.isEmpty, !matches(claimed, "application/x-www-form-urlencoded") { return claimed }
        if isObjectOrArray(data) { return json }
        return UTF8Check.isValid(data) ? "text/plain; charset=utf-8" : "application/octet-stream"
    }

    private static func isObjectOrArray(_ data: [UInt8]) -> Bool {
        let first = data.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        return (first == UInt8(ascii: "{") || first == UInt8(ascii: "[")) && JSONDocument.isValid(data)
    }
}
