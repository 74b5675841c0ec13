/// What all requests of a client have in common.
package struct HTTPOptions: Sendable {
    /// The field `User-Agent`.
    package var userAgent: String

    /// How long a connection may take to be made, in whole seconds.
    package var connectTimeout: Duration = .seconds(10)

    /// How long a server may say nothing, in whole seconds.
    package var silenceLimit: Duration = .seconds(60)

    /// A PEM file of the authorities that servers are trusted by; nil for the system's.
    package var certificateAuthorities: String?

    /// The usual ones.
    package init(userAgent: String) {
        self.userAgent = userAgent
    }
}
