import MicroHTTP
import Notation

/// Where clients reach the hub through a proxy: its links lead there, and pages of that origin are its own.
///
/// ```swift
/// configuration.publicURL = try PublicURL("https://hub.example/clarion")
/// ```
public struct PublicURL: Hashable, Sendable {
    /// Scheme, host, port and path, without a slash at the end. At most 512 bytes: `Location` repeats it.
    public let text: String

    let origin: Origin
    /// Its host, without the port, in lower case.
    let host: String

    private static let longest = 512

    /// A URL that is written out.
    ///
    /// - Throws: ``HubError`` with code `public-url-invalid` for anything but `http://` or `https://`, a host, a port or
    ///   none, and a path or none, in which no segment is empty, `.` or `..`.
    public init(_ text: String) throws(HubError) {
        let bytes = Array(text.utf8)
        let schemeEnd = ["https://", "http://"].first { bytes.prefix($0.utf8.count).isEqual(to: $0) }?.utf8.count
        guard let schemeEnd, bytes.count <= Self.longest else { throw Self.invalid(text) }
        let authority = bytes[schemeEnd...].prefix { $0 != UInt8(ascii: "/") }
        var path = bytes[authority.endIndex...]
        if path.last == UInt8(ascii: "/") { path.removeLast() }
        guard let host = Authority(authority)?.host, Self.isPath(path),
            let origin = try? Origin(String(decoding: bytes[..<authority.endIndex], as: UTF8.self))
        else { throw Self.invalid(text) }
        self.host = host.lowercased()
        self.origin = origin
        self.text = origin.text + String(decoding: path, as: UTF8.self)
    }

    /// Segments of a path as they stand in a URL (RFC 3986 section 3.3), each with its slash before it.
    private static func isPath(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let path = String(validating: bytes, as: UTF8.self), let target = try? Target("\(path)/") else {
            return false
        }
        return target.segments.allSatisfy { !["", ".", ".."].contains($0) }
            && bytes.allSatisfy { $0.isTokenCharacter || "/:@,;=()".utf8.contains($0) }
            && !bytes.contains { "^`|#".utf8.contains($0) }
    }

    private static func invalid(_ text: String) -> HubError {
        HubError(
            code: HubError.publicURLInvalid,
            message: "\"\(text)\" is no URL such as https://hub.example or https://hub.example/clarion"
        )
    }
}
