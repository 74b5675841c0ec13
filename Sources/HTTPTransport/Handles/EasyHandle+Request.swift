import CCurl

/// What is asked, and how.
extension EasyHandle {
    package func setURL(_ url: String) {
        set(CURLOPT_URL, url)
    }

    /// - Parameter schemes: those that may be spoken.
    package func identify(as userAgent: String, schemes: String = "http,https") {
        set(CURLOPT_USERAGENT, userAgent)
        set(CURLOPT_PROTOCOLS_STR, schemes)
    }

    /// Bounds how long it takes to connect, and all together, in milliseconds.
    package func setTimeouts(connect: Int, total: Int) {
        set(CURLOPT_CONNECTTIMEOUT_MS, connect)
        set(CURLOPT_TIMEOUT_MS, total)
    }

    /// - Parameter url: the proxy that makes all connections; nil for none. Those of the environment do not count, which an
    ///   empty one says (CURLOPT_PROXY(3)), nor do their exceptions.
    package func setProxy(_ url: String?) {
        set(CURLOPT_PROXY, url ?? "")
        set(CURLOPT_NOPROXY, "")
    }

    /// Has the turn of other transfers come after each record that holds no data: else who sends many of those holds all up. Not
    /// through a proxy over TLS: what comes with such a record is decrypted by then, and no socket tells of it.
    package func yieldBetweenRecords() {
        unsafe clarion_easy_bound_tls(pointer)
    }

    /// Trusts one file of authorities, that one or the system's, and no folder: a folder would be trusted beside the file,
    /// and would keep libcurl from caching what it has read (CURLOPT_CA_CACHE_TIMEOUT(3)). Without the cache each
    /// connection costs this thread about 15 ms, and a server whose TLS fails takes that from all others.
    package func setAuthorities(_ file: String?) {
        guard file != nil || Self.hasAuthorities else { return }
        for (bundle, folder) in [(CURLOPT_CAINFO, CURLOPT_CAPATH), (CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH)] {
            if let file { set(bundle, file) }
            set(folder, nil)
        }
    }

    /// Whether libcurl knows a file of the system's authorities.
    private static let hasAuthorities = unsafe clarion_authorities() != nil

    /// Has nothing be sent but a head.
    package func setMethod(_ method: String) {
        set(CURLOPT_HTTPGET, 1)
        if method != "GET" { set(CURLOPT_CUSTOMREQUEST, method) }
    }
}
