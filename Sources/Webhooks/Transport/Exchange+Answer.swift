import CCurl
import Glibc

/// Reading the result of a finished transfer.
extension Exchange {
    /// What came back, without the credentials that were sent.
    ///
    /// - Parameter code: the transfer's result, from `curl_multi_info_read(3)`.
    func answer(_ code: CURLcode) -> AttemptAnswer {
        var answer = verdict(code)
        endTrace(answer)
        guard let credentials = request?.target.credentials else { return answer }
        answer.responsePrefix = credentials.masked(responsePrefix, limit: keptResponseLength)
        answer.message = answer.message.map { String(decoding: credentials.masked(Array($0.utf8)), as: UTF8.self) }
        return answer
    }

    private func verdict(_ code: CURLcode) -> AttemptAnswer {
        var answer = AttemptAnswer(timings: timings)
        var status = 0
        if isHeadComplete {
            unsafe clarion_easy_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
            answer.status = status
        }
        // These mean what they mean, however the body ends.
        if status == 429 || status == 503 { answer.retryAfter = header("Retry-After").flatMap(RetryAfter.init) }
        if code == CURLE_OK && isHeadComplete || status == 410 {
            if case .handshake = request?.purpose {
                answer.allowedOrigin = header("WebHook-Allowed-Origin")
                answer.allowedRate = header("WebHook-Allowed-Rate")
            }
            guard !(200...299).contains(status) else { return answer }
            answer.failure = .status
            answer.message = "the endpoint answered \(status)"
        } else if let refusal, !hasDialled {
            answer.failure = .egressBlocked
            answer.message = refusal
        } else if responseLength > maxResponseLength {
            answer.failure = .responseTooLarge
            answer.message = "the response body is longer than \(maxResponseLength) bytes"
        } else if code == CURLE_OK {
            answer.failure = .connectionReset
            answer.message = "the head of the response is cut short"
        } else if code == CURLE_OUT_OF_MEMORY {
            // What libcurl says of a line of more than 100 KiB.
            answer.failure = .responseTooLarge
            answer.message = "the head of the response is too long"
        } else if let refusal = proxyRefusal {
            answer.failure = .egressBlocked
            answer.message = refusal
        } else {
            answer.failure = failureClass(code)
            answer.message = failureText(code)
        }
        return answer
    }

    private var timings: AttemptTimings {
        func time(_ info: CURLINFO) -> Int64? {
            var microseconds: curl_off_t = 0
            unsafe clarion_easy_get_offset(handle, info, &microseconds)
            return microseconds > 0 ? Int64(microseconds) : nil
        }
        var connections = 0
        unsafe clarion_easy_get_long(handle, CURLINFO_NUM_CONNECTS, &connections)
        // Of a connection that is used again libcurl tells a time too, which is none of this attempt.
        return AttemptTimings(
            connected: connections > 0 ? time(CURLINFO_CONNECT_TIME_T) : nil,
            secured: connections > 0 ? time(CURLINFO_APPCONNECT_TIME_T) : nil,
            answered: time(CURLINFO_STARTTRANSFER_TIME_T),
            total: time(CURLINFO_TOTAL_TIME_T) ?? 0
        )
    }

    /// What the proxy said if it made no tunnel.
    private var proxyRefusal: String? {
        var status = 0
        guard options.proxy != nil,
            unsafe clarion_easy_get_long(handle, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK, status >= 300
        else { return nil }
        return "the proxy answered \(status)"
    }

    /// The last header of that name in the final response.
    private func header(_ name: String) -> String? {
        var header: UnsafeMutablePointer<curl_header>? = nil
        guard unsafe curl_easy_header(handle, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK,
            let value = unsafe header?.pointee.value
        else { return nil }
        return unsafe String(cString: value)
    }

    private func failureClass(_ code: CURLcode) -> FailureClass {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .dnsError
        case CURLE_OPERATION_TIMEDOUT: .timeout
        case CURLE_COULDNT_CONNECT: connectFailure
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
            .tlsError
        default: .connectionReset
        }
    }

    /// `CURLE_COULDNT_CONNECT` covers all that `connect(2)` can say.
    private var connectFailure: FailureClass {
        var errorNumber = 0
        unsafe clarion_easy_get_long(handle, CURLINFO_OS_ERRNO, &errorNumber)
        return switch Int32(truncatingIfNeeded: errorNumber) {
        case ETIMEDOUT: .timeout
        case ECONNRESET: .connectionReset
        default: .connectionRefused
        }
    }
}
