import CGnuTLS
import Glibc

/// A server's certificate, and those that lead from it to its authority.
@safe
struct CertificateChain: ~Copyable {
    let start: UnsafeMutablePointer<gnutls_x509_crt_t?>
    let count: Int32

    /// Takes them out of a file in PEM.
    init(_ contents: [UInt8], file: String) throws(ServerError) {
        var list: UnsafeMutablePointer<gnutls_x509_crt_t?>?
        var count: UInt32 = 0
        let result = unsafe contents.withDatum { datum in
            unsafe gnutls_x509_crt_list_import2(
                &list,
                &count,
                datum,
                GNUTLS_X509_FMT_PEM,
                GNUTLS_X509_CRT_LIST_SORT.rawValue
            )
        }
        guard result >= 0, let start = unsafe list, count > 0 else {
            throw ServerCredentials.error("\(file) holds no certificate in PEM: \(ServerCredentials.reason(result))")
        }
        unsafe self.start = unsafe start
        self.count = Int32(count)
    }

    deinit {
        for index in 0..<Int(count) { unsafe gnutls_x509_crt_deinit(start[index]) }
        unsafe clarion_gnutls_free(start)
    }

    /// - Throws: if the server's certificate is out of its time: no client would take it.
    borrowing func requireItsTime(_ file: String) throws(ServerError) {
        let now = time(nil)
        let (begin, end) = unsafe (
            gnutls_x509_crt_get_activation_time(start[0]), gnutls_x509_crt_get_expiration_time(start[0])
        )
        guard now <= end else {
            throw ServerCredentials.error("the certificate in \(file) expired on \(Self.text(end))")
        }
        guard now >= begin else {
            throw ServerCredentials.error(
                "the certificate in \(file) is not valid before \(Self.text(begin))",
                passesWithTime: true
            )
        }
    }

    /// When the server's certificate ends, in seconds since 1970 (`notAfter`, RFC 5280 section 4.1.2.5).
    var expiry: Int { unsafe Int(gnutls_x509_crt_get_expiration_time(start[0])) }

    /// In UTC, such as `2027-01-31 12:00:00`.
    private static func text(_ time: time_t) -> String {
        var (time, parts) = unsafe (time, tm())
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { text in
            guard let start = text.baseAddress, unsafe gmtime_r(&time, &parts) != nil,
                unsafe strftime(start, text.count, "%F %T UTC", &parts) > 0
            else { return "an unknown day" }
            return unsafe String(cString: start)
        }
    }
}

/// The private key of a server.
@safe
struct PrivateKey: ~Copyable {
    let handle: gnutls_x509_privkey_t

    /// Takes it out of a file in PEM.
    init(_ contents: [UInt8], file: String) throws(ServerError) {
        var key: gnutls_x509_privkey_t?
        guard unsafe gnutls_x509_privkey_init(&key) == GNUTLS_E_SUCCESS, let key = unsafe key else {
            throw ServerCredentials.error("GnuTLS has no memory for a key")
        }
        let result = unsafe contents.withDatum { datum in
            unsafe gnutls_x509_privkey_import2(key, datum, GNUTLS_X509_FMT_PEM, nil, 0)
        }
        guard result >= 0 else {
            unsafe gnutls_x509_privkey_deinit(key)
            throw ServerCredentials.error(
                result == GNUTLS_E_DECRYPTION_FAILED
                    ? "the key in \(file) has a passphrase, which a server cannot be asked for"
                    : "\(file) holds no private key in PEM: \(ServerCredentials.reason(result))"
            )
        }
        unsafe handle = unsafe key
    }

    deinit {
        unsafe gnutls_x509_privkey_deinit(handle)
    }
}

extension [UInt8] {
    /// Lends the bytes to GnuTLS, which only reads them.
    fileprivate func withDatum<Result>(_ body: (UnsafePointer<gnutls_datum_t>) -> Result) -> Result {
        unsafe withUnsafeBytes { bytes in
            let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: UInt8.self)
            var datum = unsafe gnutls_datum_t(data: start, size: UInt32(bytes.count))
            return unsafe withUnsafePointer(to: &datum) { unsafe body($0) }
        }
    }
}
