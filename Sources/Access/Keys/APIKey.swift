/// A new API key: `clk_` and 32 random characters of base62, which is 190 bits.
package struct APIKey: Sendable {
    private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// The key itself, to be shown once. Not for logs.
    package let text: String

    /// A key from the system's random numbers.
    package static func generate() -> APIKey {
        var generator = SystemRandomNumberGenerator()
        let random = (0..<32).map { _ in letters[Int.random(in: letters.indices, using: &generator)] }
        return APIKey(text: "clk_" + String(decoding: random, as: UTF8.self))
    }

    var hash: CredentialHash { CredentialHash(of: text) }
}
