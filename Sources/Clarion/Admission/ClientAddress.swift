import MicroHTTP
import Posix

/// What requests are counted by where no credential tells who sends them: an IPv4 address, or the first 64 bits of an IPv6
/// address, which is what one customer has (RFC 6177).
struct ClientAddress: Hashable, Sendable {
    private let network: String

    init(_ request: Request) {
        let text = request.remoteAddress ?? ""
        guard text.utf8.first == UInt8(ascii: "[") else {
            network = String(text.prefix { $0 != ":" })
            return
        }
        let host = String(text.dropFirst().prefix { $0 != "]" })
        network = IPAddress(host).map { String($0.bits >> 64, radix: 16) } ?? host
    }
}
