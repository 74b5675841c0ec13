import Crypto
import FoundationEssentials

/// What browsers are told of a page beside its content.
enum HTMLPage {
    /// The fields of what is asked for anew each time, and taken for nothing else than it is.
    static func fields(contentSecurityPolicy: String) -> [(name: String, value: String)] {
        [
            ("Cache-Control", "no-cache"), ("X-Content-Type-Options", "nosniff"),
            ("Content-Security-Policy", contentSecurityPolicy), ("Referrer-Policy", "no-referrer"),
        ]
    }

    /// Nothing but the one style, framed by nobody.
    ///
    /// - Parameter images: where images may come from; nil for nowhere.
    static func contentSecurityPolicy(style: String, images: String? = nil) -> String {
        let hash = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
        let sources = "default-src 'none'; style-src 'sha256-\(hash)'; " + (images.map { "img-src \($0); " } ?? "")
        return sources + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }
}
