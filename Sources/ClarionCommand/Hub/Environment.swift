import Glibc

/// What subcommands other than `serve` take from the environment.
enum Environment {
    /// `CLARION_CREDENTIALS`: the credentials file; nil if it is not set, or empty.
    static var credentials: String? { Self["CLARION_CREDENTIALS"] }

    /// A variable; nil if it is not set, or empty.
    static subscript(name: String) -> String? {
        // `unsafe`: the text that getenv(3) lends is copied at once.
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
