import CGnuTLS
import Glibc
import Posix

/// A certificate and its key as GnuTLS has them, which sessions point to. Nothing of it changes.
///
/// `@unchecked Sendable`: GnuTLS only reads credentials that sessions use (its manual, "Thread safety").
@safe
final class ServerCredentials: @unchecked Sendable {
    let handle: gnutls_certificate_credentials_t
    /// When the certificate ends, in seconds since 1970.
    let expiry: Int

    /// Far more than a chain takes: what is larger is another file.
    private static let maximumBytes = 1 << 20

    /// - Parameter takesPipes: whether the files may be pipes that somebody writes to: they can be read once.
    init(certificateFile: String, keyFile: String, takesPipes: Bool) throws(ServerError) {
        let certificates = try Self.contents(of: certificateFile, takesPipes: takesPipes)
        let chain = try CertificateChain(certificates, file: certificateFile)
        try chain.requireItsTime(certificateFile)
        expiry = chain.expiry
        let key = try PrivateKey(try Self.contents(of: keyFile, takesPipes: takesPipes), file: keyFile)
        var handle: gnutls_certificate_credentials_t?
        guard unsafe gnutls_certificate_allocate_credentials(&handle) == GNUTLS_E_SUCCESS, let handle = unsafe handle
        else { throw Self.error("GnuTLS has no memory for a certificate") }
        unsafe self.handle = unsafe handle
        // It copies both.
        let result = unsafe gnutls_certificate_set_x509_key(handle, chain.start, chain.count, key.handle)
        guard result >= 0 else {
            throw Self.error(
                result == GNUTLS_E_CERTIFICATE_KEY_MISMATCH
                    ? "\(keyFile) is not the key of the certificate in \(certificateFile)"
                    : "\(certificateFile) and \(keyFile) cannot be used: \(Self.reason(result))"
            )
        }
    }

    deinit {
        unsafe gnutls_certificate_free_credentials(handle)
    }

    static func error(_ description: String, passesWithTime: Bool = false) -> ServerError {
        ServerError(code: "certificate-invalid", description: description, passesWithTime: passesWithTime)
    }

    static func reason(_ result: Int32) -> String { unsafe String(cString: gnutls_strerror(result)) }

    private static func contents(of path: String, takesPipes: Bool) throws(ServerError) -> [UInt8] {
        do throws(SystemError) {
            let bytes = try FileContents.read(path, atMost: maximumBytes, takesPipes: takesPipes)
            if let bytes { return bytes }
        } catch {
            throw Self.error(
                error.number == ENOENT ? "there is no file \(path)" : "cannot read \(path): \(error.reason)"
            )
        }
        throw Self.error("\(path) is not a file")
    }
}
