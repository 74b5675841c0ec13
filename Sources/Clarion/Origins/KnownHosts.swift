import MicroHTTP
import Notation

/// The names that the hub answers to. A page of a name that leads to another address from one moment to the next (DNS
/// rebinding) is same-origin with whatever answers there; so a hub that only its own machine reaches answers to names that
/// nobody else can have.
struct KnownHosts: Sendable {
    /// In lower case.
    private let allowed: [String]
    private let takesAny: Bool

    /// - Parameters:
    ///   - address: what the hub listens on.
    ///   - names: further ones. If there are any, others are refused also where the address is not loopback.
    ///   - publicURL: what the hub is known by, if it is: its name is one more.
    init(listeningOn address: String, names: [HostName], publicURL: PublicURL?) {
        takesAny = names.isEmpty && !HostName.isLoopback(address)
        allowed = names.map(\.text) + (publicURL.map { [$0.host] } ?? [])
    }

    /// - Throws: 421 `host-unknown`.
    func require(_ request: Request) throws(Problem) {
        // What a proxy was asked for is looked at only where names are given: without, it has its own to answer to. What
        // sends no Host speaks HTTP/1.0, and is no browser.
        let host = allowed.isEmpty ? request.namedHost : request.askedHost
        guard !takesAny, let host else { return }
        let name = Self.withoutPort(host)
        guard !HostName.isLoopback(name), !allowed.contains(where: name.isEqual) else { return }
        throw Problem(
            .misdirected,
            code: "host-unknown",
            detail: """
                This hub does not answer to "\(String(decoding: name, as: UTF8.self))". Ask for localhost or 127.0.0.1, or \
                start it with --allow-host and that name.
                """,
            parameter: "Host"
        )
    }

    private static func withoutPort(_ host: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let colon = host.lastIndex(of: UInt8(ascii: ":")), host.last != UInt8(ascii: "]") else { return host }
        return host[..<colon]
    }
}
