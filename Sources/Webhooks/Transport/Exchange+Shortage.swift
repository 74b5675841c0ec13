import CCurl
import Glibc
import Posix

/// Telling apart what fails here from what fails there.
extension Exchange {
    /// What was wanting on this machine; `nil` if the result is the endpoint's, or its network's.
    ///
    /// - Parameter code: the transfer's result, from `curl_multi_info_read(3)`.
    func shortage(_ code: CURLcode) -> Shortage? {
        // What has answered was reached.
        guard code != CURLE_OK, !isHeadComplete else { return nil }
        if let error = socketError { return Shortage(message: "no socket: \(SystemError.reason(error))") }
        switch code {
        case CURLE_OUT_OF_MEMORY:
            // libcurl says so of a line too long, too, but not before there was a request to answer.
            return wasSent ? nil : Shortage(message: failureText(code))
        case CURLE_COULDNT_CONNECT:
            return connectShortage
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            let text = failureText(code)
            // What libcurl's resolver says if it has no thread, or no descriptors to hear of its end.
            if text.contains("thread failed to start") { return Shortage(message: text) }
            // The resolver of the system does not say why it could not ask, but it needs descriptors.
            return SystemLimits.areFilesShort ? Shortage(message: "no descriptors to look up a name with") : nil
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_FAILED_INIT:
            return SystemLimits.areFilesShort ? Shortage(message: failureText(code)) : nil
        default:
            return nil
        }
    }

    /// Whether `socket(2)` failed for a reason that passes. Others, such as a family that this machine does not have, do
    /// not, and are no reason to try again soon.
    static func passes(_ error: Int32) -> Bool {
        [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(error)
    }

    private var wasSent: Bool {
        var microseconds: curl_off_t = 0
        unsafe clarion_easy_get_offset(handle, CURLINFO_PRETRANSFER_TIME_T, &microseconds)
        return microseconds > 0
    }

    /// What `connect(2)` says that is about this machine.
    private var connectShortage: Shortage? {
        var number = 0
        unsafe clarion_easy_get_long(handle, CURLINFO_OS_ERRNO, &number)
        let error = Int32(truncatingIfNeeded: number)
        if Self.passes(error) { return Shortage(message: SystemError.reason(error)) }
        // Also what is said where there is no address of the kind, for good: IPv6 on a machine that has none.
        guard error == EADDRNOTAVAIL, canReachLastAddress else { return nil }
        return Shortage(message: "no local port is free")
    }

    private var canReachLastAddress: Bool {
        unsafe lastAddress.withUnsafeBytes { bytes in
            guard let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return unsafe clarion_has_address_for(address, socklen_t(bytes.count)) != 0
        }
    }
}
