import Posix

extension TransportOptions {
    /// Why a URL may not be reached, if that is decided by the URL alone. Its address matters where a proxy makes the
    /// connection: what is dialled then is the proxy.
    func refusal(of url: WebhookURL) -> String? {
        if configuration.httpsOnly, url.scheme != "https" {
            return "--webhooks-https-only refuses \(url.scheme); give the webhook an https URL"
        }
        return configuration.proxy == nil ? nil : url.address.flatMap { egressGuard.refusal(of: $0) }
    }

    /// Why an address may not be dialled to reach a URL. What the operator's names lead to is told to nobody who may register
    /// a webhook: they could map a network that they cannot see.
    func refusal(of url: WebhookURL, at address: IPAddress?) -> String? {
        // The operator's own choice, and the only thing that is dialled then.
        guard configuration.proxy == nil, let refusal = egressGuard.refusal(of: address) else { return nil }
        guard url.address == nil, !url.isLocalhost else { return refusal }
        return "\(url.host) leads to an address that is not public; to allow it, give its range to --allow-egress"
    }

    /// Why every attempt at a URL will be refused: by ``refusal(of:)``, or when the address is dialled that stands in the
    /// URL. What any other name leads to is not known before.
    func foreseeableRefusal(of url: WebhookURL) -> String? {
        if let refusal = refusal(of: url) { return refusal }
        if let address = url.address { return egressGuard.refusal(of: address) }
        // A proxy resolves names by itself.
        guard configuration.proxy == nil, url.isLocalhost else { return nil }
        // One that is permitted is enough.
        let refusals = Self.loopback.map { egressGuard.refusal(of: $0) }
        return refusals.contains(nil) ? nil : refusals.first ?? nil
    }

    /// What libcurl takes `localhost` for without asking anyone, as RFC 6761 section 6.3 has it.
    private static let loopback = ["127.0.0.1", "::1"].compactMap { IPAddress($0) }
}

extension WebhookURL {
    fileprivate var isLocalhost: Bool { host == "localhost" || host.hasSuffix(".localhost") }
}
