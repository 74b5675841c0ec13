import CMicroHTTPD
import Locking

/// The certificate and the key by which a server speaks TLS, read from files, and read again when they have changed.
///
/// ```swift
/// configuration.certificate = try ServerCertificate(certificateFile: "hub.pem", keyFile: "hub.key")
/// ```
///
/// What was read last counts for the connections that come; those that are open go on with what they began with.
public final class ServerCertificate: Sendable {
    private let certificateFile: String
    private let keyFile: String
    private let current: Lock<ServerCredentials>

    /// Reads two files in PEM. They may be one.
    ///
    /// - Parameters:
    ///   - certificateFile: the server's certificate, and those that lead to its authority.
    ///   - keyFile: its private key, without a passphrase.
    /// - Throws: ``ServerError`` with the code `certificate-invalid`, or `tls-unsupported`.
    public init(certificateFile: String, keyFile: String) throws(ServerError) {
        guard MHD_is_feature_supported(.FEATURE_TLS) == .YES else {
            throw ServerError(code: "tls-unsupported", description: "this libmicrohttpd was built without TLS")
        }
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        current = Lock(
            try ServerCredentials(certificateFile: certificateFile, keyFile: keyFile, takesPipes: true)
        )
    }

    /// Reads the files again.
    ///
    /// - Throws: the same as at first, and if one is no regular file; what was read before then stays in force.
    public func reload() throws(ServerError) {
        // A pipe that is in the place of a file by now would hold up whoever asks, for ever.
        let read = try ServerCredentials(certificateFile: certificateFile, keyFile: keyFile, takesPipes: false)
        current.withLock { $0 = read }
    }

    /// When the certificate that is in force ends, in seconds since 1970 (`notAfter`, RFC 5280 section 4.1.2.5). Clients refuse
    /// it from then on.
    public var expiry: Int { credentials.expiry }

    /// What a new connection begins with.
    var credentials: ServerCredentials { current.withLock { $0 } }
}
