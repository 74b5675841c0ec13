import CGnuTLS
import CMicroHTTPD

/// The TLS session of a connection, which libmicrohttpd owns. Only the connection's server thread uses it.
@safe
final class SecureSession {
    private let handle: gnutls_session_t
    private let source = UnsafeMutablePointer<clarion_source>.allocate(capacity: 1)
    /// The session only points to it.
    private let credentials: ServerCredentials

    /// Which versions, ciphers and groups are spoken: 1.2 with forward secrecy and authenticated encryption, or 1.3. The first
    /// group is the one that clients guess: for another, they would have to be asked again.
    private static let priorities: StaticString = """
        NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:\
        -CIPHER-ALL:+AES-256-GCM:+CHACHA20-POLY1305:+AES-128-GCM:\
        -GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1:+GROUP-SECP521R1:%SERVER_PRECEDENCE
        """

    /// What a daemon is told of it. Libmicrohttpd wants a certificate at its start, or a function that knows some; those of
    /// sessions are set one by one.
    static var options: [MHD_OptionItem] {
        unsafe [
            clarion_mhd_option_pointer(.HTTPS_PRIORITIES, priorities.utf8Start),
            clarion_mhd_option_pointer(.HTTPS_CERT_CALLBACK, clarion_no_certificate_function()),
        ]
    }

    /// Has a connection that begins show a certificate: before its handshake, so in `MHD_OPTION_NOTIFY_CONNECTION`.
    ///
    /// Nil if it has no TLS, or there is no memory: libmicrohttpd then has no certificate to show.
    init?(of connection: OpaquePointer, showing credentials: ServerCredentials) {
        guard let handle = unsafe clarion_mhd_session(connection).map({ gnutls_session_t($0) }),
            unsafe gnutls_credentials_set(handle, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials.handle))
                == GNUTLS_E_SUCCESS
        else { return nil }
        unsafe self.handle = unsafe handle
        self.credentials = credentials
        unsafe source.initialize(
            to: clarion_source(
                socket: clarion_mhd_connection_socket(connection),
                is_established: false,
                has_read: false,
                last: 0
            )
        )
        unsafe clarion_read_from(handle, source)
    }

    deinit {
        // Libmicrohttpd frees the session before it tells of the connection's end.
        unsafe source.deallocate()
    }

    /// A request is complete; what was read may have more behind it.
    func completeRequest() { unsafe clarion_touch(source, false) }

    /// Whether something was read since, or since the handshake.
    var hasRead: Bool { unsafe source.pointee.is_established && source.pointee.has_read }

    /// Whether it has taken something from the socket that was not read from it.
    var hasMore: Bool { unsafe gnutls_record_check_pending(handle) > 0 }

    /// Whether its client has begun the handshake, and not ended it.
    var isInHandshake: Bool { unsafe !source.pointee.is_established && source.pointee.has_read }

    var isEstablished: Bool { unsafe source.pointee.is_established }

    /// Whether what it is at goes on when the socket takes something, and not when something has come.
    var isWriting: Bool { unsafe gnutls_record_get_direction(handle) == 1 }

    /// When either happened last, in nanoseconds of the monotonic clock.
    var lastTouch: Int64 { unsafe source.pointee.last }

    /// Says something, and that nothing follows. What does not fit the socket now is lost.
    func sendLast(_ bytes: [UInt8]) {
        _ = unsafe bytes.withUnsafeBytes { unsafe gnutls_record_send(handle, $0.baseAddress, $0.count) }
        _ = unsafe gnutls_bye(handle, GNUTLS_SHUT_WR)
    }
}
