import MicroHTTP
import Notation

/// Where a web page is from: scheme, host and port (RFC 6454), as browsers write it into `Origin`.
///
/// ```swift
/// try Origin("https://app.example.com").text    // "https://app.example.com"
/// try Origin("HTTPS://App.Example:443").text    // "https://app.example"
/// ```
public struct Origin: Hashable, Sendable {
    /// In lower case and without the scheme's own port, as browsers write it.
    public let text: String

    /// An origin that is written out.
    ///
    /// - Throws: ``HubError`` with code `origin-invalid` for anything but `http://` or `https://`, a host, and a port or
    ///   none: a path is of no origin, and `null` is that of any page without one.
    public init(_ text: String) throws(HubError) {
        let lowered = text.asciiLowercased
        let scheme = ["https", "http"].first { lowered.hasPrefix("\($0)://") }
        guard let scheme, let authority = Authority(Substring(lowered.utf8.dropFirst(scheme.utf8.count + 3))) else {
            throw HubError(
                code: HubError.originInvalid,
                message: "\"\(text)\" is no origin such as https://app.example.com or http://localhost:3000"
            )
        }
        let ownPort = scheme == "https" ? 443 : 80
        let port = authority.port.map { $0 == ownPort ? "" : ":\($0)" } ?? ""
        self.text = "\(scheme)://\(authority.host)\(port)"
    }
}
