import MicroHTTP
import Posix

/// What requests are counted by where no credential tells who sends them: the customer whose address it is.
struct ClientAddress: Hashable, Sendable {
    private let customer: String

    init(_ request: Request) {
        let text = request.remoteAddress ?? ""
        guard text.utf8.first == UInt8(ascii: "[") else {
            customer = String(text.prefix { $0 != ":" })
            return
        }
        let host = String(text.dropFirst().prefix { $0 != "]" })
        customer = IPAddress(host)?.customer.description ?? host
    }
}
