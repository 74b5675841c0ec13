import CCurl

/// How a transfer ended.
package struct TransferEnding: Sendable {
    /// What went wrong, by where it did.
    package enum Kind: Sendable {
        case complete
        /// There is no memory, or a line of an answer is longer than libcurl takes.
        case outOfMemory
        /// What an answer has beside its body is more than is taken: see ``LineBound`` and ``FramingBound``.
        case oversized
        case uninitialised
        case unresolved
        /// `connect(2)` failed for that reason; 0 if there is none.
        case unconnected(Int32)
        /// A SOCKS proxy does not let this client, or any, connect there.
        case forbidden
        case unreadableAuthorities
        /// There is no TLS. Whether it is for the certificate, which is not trusted.
        case unsecured(byCertificate: Bool)
        case timedOut
        /// Any other failure, in the middle.
        case interrupted
    }

    package let kind: Kind

    /// Whether it was given up because it took too long.
    package var isTimedOut: Bool { if case .timedOut = kind { true } else { false } }

    /// libcurl's sentence about what went wrong; empty if nothing did.
    package let text: String

    init(
        _ code: CURLcode,
        of easy: UnsafeMutableRawPointer,
        sharing shared: UnsafeMutablePointer<EasyHandle.Shared>
    ) {
        let errorText = unsafe shared.pointee.errorText
        kind =
            switch code {
            case CURLE_OK: .complete
            case CURLE_WRITE_ERROR where unsafe shared.pointee.lines.isPassed: .oversized
            case CURLE_ABORTED_BY_CALLBACK where unsafe shared.pointee.framing.isPassed: .oversized
            case CURLE_OUT_OF_MEMORY: .outOfMemory
            case CURLE_FAILED_INIT: .uninitialised
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .unresolved
            case CURLE_COULDNT_CONNECT: .unconnected(unsafe Self.systemError(of: easy))
            case CURLE_PROXY: unsafe Self.refusal(byProxyOf: easy)
            case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE: .unreadableAuthorities
            case CURLE_PEER_FAILED_VERIFICATION: .unsecured(byCertificate: true)
            case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
                CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
                CURLE_SSL_CLIENTCERT, CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
                .unsecured(byCertificate: false)
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            default: .interrupted
            }
        if code == CURLE_OK {
            text = ""
        } else if code == CURLE_SEND_FAIL_REWIND {
            // libcurl speaks of its own means to begin the body anew, which it has none of, by intent.
            text = "the connection ended while the request was sent"
        } else if code == CURLE_ABORTED_BY_CALLBACK, case .interrupted = kind {
            // Before it was sent again.
            text = "the connection ended without an answer"
        } else if unsafe errorText.pointee == 0 {
            text = unsafe String(cString: curl_easy_strerror(code))
        } else {
            text = unsafe String(cString: errorText)
        }
    }

    private static func systemError(of easy: UnsafeMutableRawPointer) -> Int32 {
        Int32(truncatingIfNeeded: unsafe number(CURLINFO_OS_ERRNO, of: easy))
    }

    /// What a SOCKS proxy has answered (RFC 1928, sections 3 and 6).
    private static func refusal(byProxyOf easy: UnsafeMutableRawPointer) -> Kind {
        switch CURLproxycode(rawValue: UInt32(truncatingIfNeeded: unsafe number(CURLINFO_PROXY_ERROR, of: easy))) {
        case CURLPX_REPLY_NOT_ALLOWED, CURLPX_NO_AUTH, CURLPX_USER_REJECTED: .forbidden
        case CURLPX_REPLY_CONNECTION_REFUSED, CURLPX_REPLY_GENERAL_SERVER_FAILURE, CURLPX_REPLY_HOST_UNREACHABLE,
            CURLPX_REPLY_NETWORK_UNREACHABLE, CURLPX_REPLY_TTL_EXPIRED:
            .unconnected(0)
        default: .interrupted
        }
    }

    private static func number(_ info: CURLINFO, of easy: UnsafeMutableRawPointer) -> Int {
        var number = 0
        unsafe clarion_easy_get_long(easy, info, &number)
        return number
    }
}
