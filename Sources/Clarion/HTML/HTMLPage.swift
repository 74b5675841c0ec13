import Crypto
import FoundationEssentials

/// What browsers are told of a page beside its content.
enum HTMLPage {
    /// The fields of what is taken for nothing else than it is.
    ///
    /// - Parameter isLasting: whether it is never another at its address; otherwise it is asked for anew each time.
    static func fields(contentSecurityPolicy: String, isLasting: Bool = false) -> [(name: String, value: String)] {
        [
            ("Cache-Control", isLasting ? "public, max-age=31536000, immutable" : "no-cache"),
            ("X-Content-Type-Options", "nosniff"),
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
