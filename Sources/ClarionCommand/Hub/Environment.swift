import Glibc

/// What subcommands other than `serve` take from the environment.
enum Environment {
    /// `CLARION_CREDENTIALS`: the credentials file; nil if it is not set, or empty.
    static var credentials: String? {
        // `unsafe`: the text that getenv(3) lends is copied at once.
        guard let value = unsafe getenv("CLARION_CREDENTIALS") else { return nil }
        let path = unsafe String(cString: value)
        return path.isEmpty ? nil : path
    }
}
