// A receiver of webhooks in Swift: `WEBHOOK_SECRET=whsec_… swift run WebhookReceiver`.
import Clarion
import Crypto
import Foundation
import MicroHTTP
import Synchronization

/// Verifies what a hub has signed (Standard Webhooks).
struct Verifier: Sendable {
    private let key: SymmetricKey

    init?(secret: String) {
        guard secret.hasPrefix("whsec_"), let bytes = Data(base64Encoded: String(secret.dropFirst(6))) else {
            return nil
        }
        key = SymmetricKey(data: bytes)
    }

    /// Whether one of the signatures is ours, and made within the last five minutes.
    func isGenuine(_ headers: HeaderFields, body: [UInt8], now: Date = .now) -> Bool {
        guard let id = headers["webhook-id"], let time = headers["webhook-timestamp"], let seconds = Double(time),
            abs(now.timeIntervalSince1970 - seconds) <= 300, let signatures = headers["webhook-signature"]
        else { return false }
        let signed = Data("\(id).\(time).".utf8) + body
        // Two while the secret is being changed.
        return signatures.split(separator: " ").contains { signature in
            guard signature.hasPrefix("v1,"), let code = Data(base64Encoded: String(signature.dropFirst(3))) else {
                return false
            }
            // In constant time.
            return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: key)
        }
    }
}

/// Prints each delivery once: it may come twice, with the same id. What must not happen twice keeps the ids where it
/// keeps its results.
final class Receiver: Sendable {
    private let verifier: Verifier
    private let seen = Mutex<Set<String>>([])

    init(_ verifier: Verifier) {
        self.verifier = verifier
    }

    func respond(to request: Request) -> Reply {
        guard request.method == .post, verifier.isGenuine(request.headers, body: request.body) else {
            return .now(Response(.unauthorized))
        }
        let isNew = seen.withLock { $0.insert(request.headers["webhook-id"] ?? "").inserted }
        if isNew {
            // Percent signs and control characters of a type are percent-encoded.
            let type = request.headers["Event-Type"]?.removingPercentEncoding ?? "-"
            let topic = request.headers["Clarion-Topic"] ?? "-"
            print(topic, type, String(decoding: request.body, as: UTF8.self))
            _ = fflush(nil)
        }
        // Any 2xx means "got it", 410 "no more of this"; after anything else the hub tries again.
        return .now(Response(.noContent))
    }
}

@main struct WebhookReceiver {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let verifier = Verifier(secret: environment["WEBHOOK_SECRET"] ?? "") else {
            print("WEBHOOK_SECRET is whsec_ and the base64 of the secret")
            exit(64)
        }
        let receiver = Receiver(verifier)
        let streams = OpenStreams(keepAlive: .init(interval: .seconds(15), frame: Frame([])))
        let server = try HTTPServer(
            configuration: ServerConfiguration(port: UInt16(environment["PORT"] ?? "") ?? 9000, serverName: "receiver"),
            streams: streams,
            logger: Logger(label: "receiver")
        ) { receiver.respond(to: $0) }
        defer { withExtendedLifetime(server) {} }
        // For as long as it is not ended.
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }
}
