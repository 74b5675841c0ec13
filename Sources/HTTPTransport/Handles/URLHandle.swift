import CCurl

/// A URL as libcurl reads it (`libcurl-url(3)`), freed with the value.
///
/// Safe: the pointer is valid from `init` to `deinit` and never leaves the struct.
@safe
package struct URLHandle: ~Copyable {
    private let handle: OpaquePointer

    /// Reads a URL of any scheme.
    ///
    /// - Throws: why it cannot be read, as a sentence.
    package init(_ text: String) throws(Fault) {
        guard let handle = unsafe curl_url() else { throw Fault(reason: "out of memory") }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE)
        let code = unsafe curl_url_set(handle, CURLUPART_URL, text, flags)
        guard code == CURLUE_OK else {
            unsafe curl_url_cleanup(handle)
            throw Fault(reason: unsafe String(cString: curl_url_strerror(code)))
        }
        unsafe self.handle = handle
    }

    deinit {
        unsafe curl_url_cleanup(handle)
    }

    package var scheme: String? { part(CURLUPART_SCHEME) }
    package var host: String? { part(CURLUPART_HOST) }
    package var hasUserInformation: Bool { part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil }

    /// The port, or that of the scheme.
    package var port: Int? { part(CURLUPART_PORT, flags: UInt32(CURLU_DEFAULT_PORT)).flatMap { Int($0) } }

    /// The URL as libcurl writes it, with another spelling of its host and without a fragment; nil if that cannot be.
    package func text(host: String) -> String? {
        guard unsafe curl_url_set(handle, CURLUPART_HOST, host, 0) == CURLUE_OK,
            unsafe curl_url_set(handle, CURLUPART_FRAGMENT, nil, 0) == CURLUE_OK
        else { return nil }
        return part(CURLUPART_URL)
    }

    private func part(_ part: CURLUPart, flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>? = nil
        guard unsafe curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text = unsafe text else { return nil }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }

    /// Why a text is no URL.
    package struct Fault: Error {
        package let reason: String
    }
}
