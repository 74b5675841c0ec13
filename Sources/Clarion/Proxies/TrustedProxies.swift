import MicroHTTP
import Webhooks

/// The proxies that are believed when they tell for whom they ask. Here alone is decided who the client of a request is.
///
/// Every proxy adds to the right of what it was given, so the chain is read from there, from the peer on: what an address
/// tells counts if that is one of these proxies. Where they end is the client, whatever stands to the left of it.
struct TrustedProxies: Sendable {
    private let networks: [CIDRBlock]

    init(_ networks: [CIDRBlock]) {
        self.networks = networks
    }

    /// The request as its client sent it to the outermost of these proxies.
    func unwrap(_ request: Request) -> Request {
        guard !networks.isEmpty, let address = request.remoteAddress,
            let peer = ForwardedNode(Array(address.utf8)[...]), contains(peer),
            let forwarded = forwarded(request.headers, by: peer)
        else { return request }
        return request.forwarded(for: forwarded.client?.text, host: forwarded.host, scheme: forwarded.scheme)
    }

    /// What `Forwarded` (RFC 7239) or the `X-Forwarded-` fields tell; nil if there are none.
    ///
    /// A proxy that writes one kind passes the other on as the client sent it. So where both are there, only that counts
    /// in which they agree.
    private func forwarded(_ headers: HeaderFields, by peer: ForwardedNode) -> ForwardedClient? {
        let standard = headers.contains("Forwarded") ? forwarded(Forwarded.elements(of: headers), by: peer) : nil
        let others = XForwarded.isPresent(in: headers) ? forwarded(XForwarded.elements(of: headers), by: peer) : nil
        guard let standard, let others else { return standard ?? others }
        return standard.agreed(with: others)
    }

    /// - Parameter elements: what each proxy tells, the nearest first; nil for what cannot be read.
    private func forwarded(_ elements: [ForwardedElement?], by peer: ForwardedNode) -> ForwardedClient {
        var forwarded = ForwardedClient()
        for element in elements {
            guard contains(forwarded.client ?? peer), let element else { break }
            forwarded.host = element.host ?? forwarded.host
            forwarded.scheme = element.scheme ?? forwarded.scheme
            // Hidden or unknown to the proxy: then the proxy stands for all who come through it.
            guard let node = element.node else { break }
            forwarded.client = node
        }
        return forwarded
    }

    private func contains(_ node: ForwardedNode) -> Bool { networks.contains { $0.contains(node.address) } }
}

/// For whom trusted proxies ask.
private struct ForwardedClient {
    /// Nil if they do not tell: then it is the peer.
    var client: ForwardedNode?
    var host: String?
    var scheme: String?

    func agreed(with other: ForwardedClient) -> ForwardedClient {
        ForwardedClient(
            client: client?.address == other.client?.address ? client : nil,
            host: host == other.host ? host : nil,
            scheme: scheme == other.scheme ? scheme : nil
        )
    }
}
