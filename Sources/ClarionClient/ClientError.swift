internal import HTTPTransport
internal import JSON

/// Why something could not be done: what the hub says (RFC 9457), or why it says nothing.
///
/// It never has the token in it.
///
/// Where another module has a `ClientError` as well, `import struct ClarionClient.ClientError` beside `import ClarionClient`
/// chooses this one: the type ``ClarionClient`` hides the module of its name, so that the name cannot be written with it.
public struct ClientError: Error, Hashable, Sendable {
    /// The hub's code, which is stable and explained at `/errors` of the hub; or one of this client's:
    /// ``unreachable``, ``untrusted``, ``interrupted``, ``answerUnreadable``, ``hubInvalid``, ``tokenInvalid``,
    /// ``authoritiesInvalid``, ``argumentInvalid``, ``eventTooLarge``, ``cancelled``.
    public let code: String

    /// One sentence for a person.
    public let detail: String

    /// The status with which it was refused; nil if there was no answer, or one of success (2xx) that cannot be read or is
    /// not whole.
    public let status: Int?

    /// The JSON Pointer to what is to blame in what was posted.
    public let pointer: String?

    /// The parameter or field that is to blame.
    public let parameter: String?

    /// How long the hub wishes to be left alone.
    public let retryAfter: Duration?

    /// Whether the hub itself said so, and nothing that stands before it.
    public let isOfHub: Bool

    /// Nothing was heard of the hub, or of what is behind a proxy. If the connection had been made, what was asked for may
    /// have been done all the same.
    public static let unreachable = "hub-unreachable"
    /// The certificate that was shown is not trusted: of another authority, for another name, or out of date. Or the file
    /// of authorities has become one that cannot be read.
    public static let untrusted = "hub-untrusted"
    /// The connection was lost before the answer was whole. What was asked for may have been done.
    public static let interrupted = "answer-interrupted"
    /// What answers is no hub, or answers more than one does.
    public static let answerUnreadable = "answer-unreadable"
    /// The hub's URL is none.
    public static let hubInvalid = "hub-invalid"
    /// The token has characters that no token has.
    public static let tokenInvalid = "token-invalid"
    /// ``ClarionClient/Configuration/certificateAuthorities`` is no readable PEM file of certificates.
    public static let authoritiesInvalid = "authorities-invalid"
    /// An argument cannot be sent.
    public static let argumentInvalid = "argument-invalid"
    /// An event is larger than ``ClarionClient/Configuration/maximumEventBytes``.
    public static let eventTooLarge = "event-too-large"
    /// The task was cancelled. What it had asked for may have been done.
    public static let cancelled = "cancelled"

    /// Whether it may pass by itself: nothing is wrong with what was asked. What is ``untrusted`` does not: somebody has to
    /// see to the certificate, or name its authority.
    ///
    /// A post may have been stored although it failed so, or with ``cancelled``: it is safe to repeat under an idempotency
    /// key, which it must have had from the first time on.
    public var isPassing: Bool {
        if code == Self.unreachable || code == Self.interrupted { return true }
        guard let status else { return false }
        return status >= 500 || [408, 425, 429].contains(status)
    }

    init(
        code: String,
        detail: String,
        status: Int? = nil,
        pointer: String? = nil,
        parameter: String? = nil,
        retryAfter: Duration? = nil,
        isOfHub: Bool = false
    ) {
        self.code = code
        self.detail = detail
        self.status = status
        self.pointer = pointer
        self.parameter = parameter
        self.retryAfter = retryAfter
        self.isOfHub = isOfHub
    }
}

extension ClientError: CustomStringConvertible {
    /// The sentence, and the code.
    public var description: String { "\(detail) (\(code))" }
}

extension ClientError {
    init(_ failure: HTTPFailure, hub: HubURL) {
        switch failure.kind {
        case .unreachable:
            self.init(
                code: Self.unreachable,
                detail: "\(hub.text) cannot be reached: \(failure.message).\(Self.advice(failure, hub))"
            )
        case .untrusted:
            self.init(code: Self.untrusted, detail: "\(hub.text) is not trusted: \(failure.message).")
        case .interrupted:
            self.init(code: Self.interrupted, detail: "The answer of \(hub.text) broke off: \(failure.message).")
        case .tooLong:
            self.init(code: Self.answerUnreadable, detail: "What \(hub.text) answers is too much: \(failure.message).")
        case .cancelled:
            self.init(code: Self.cancelled, detail: "The task was cancelled.")
        }
    }

    /// What one side sees when the other speaks TLS and it does not, in libcurl's words and OpenSSL's. A server that ends may
    /// look the same, so it is a question.
    private static func advice(_ failure: HTTPFailure, _ hub: HubURL) -> String {
        let isSecure = hub.text.lowercased().hasPrefix("https:")
        let signs =
            isSecure
            ? ["wrong version number", "packet length too long", "SSL_ERROR_SYSCALL"]
            : ["Empty reply from server", "Send failure", "HTTP/0.9"]
        guard signs.contains(where: { failure.message.contains($0) }) else { return "" }
        return isSecure ? " Does it speak http://, without TLS?" : " Does it speak https://?"
    }

    /// What an answer that is none of success says.
    init(_ head: HTTPHead, body: [UInt8], hub: HubURL) {
        let retryAfter = head["Retry-After"].flatMap { Int64($0) }.map { Duration.seconds(min(max($0, 0), 86_400)) }
        let isProblem = head["Content-Type"]?.hasPrefix("application/problem+json") == true
        if isProblem, let problem = JSONValue(parsing: body), let code = problem["code"]?.text {
            self.init(
                code: code,
                detail: problem["detail"]?.text ?? problem["title"]?.text ?? "The hub answered \(head.status).",
                status: head.status,
                pointer: problem["pointer"]?.text,
                parameter: problem["parameter"]?.text,
                retryAfter: retryAfter,
                isOfHub: true
            )
            return
        }
        let (code, detail) =
            switch head.status {
            case 300...399:
                (
                    Self.answerUnreadable,
                    "\(hub.text) answers \(head.status) and leads to \(head["Location"] ?? "elsewhere"); name the hub itself."
                )
            case 502...504: (Self.unreachable, "What stands before \(hub.text) answers \(head.status): it has no hub.")
            default: (Self.answerUnreadable, "What answers \(head.status) at \(hub.text) is no hub.")
            }
        self.init(code: code, detail: detail, status: head.status, retryAfter: retryAfter)
    }
}

extension ClarionClient {
    /// How much of a refusal is read.
    private static let refusalBytes = 1 << 20

    func refusal(_ response: HTTPResponse) async throws(HTTPFailure) -> ClientError {
        // What cannot be read of it does not matter: the status says enough.
        let body = try? await response.body(atMost: Self.refusalBytes)
        return ClientError(response.head, body: body ?? [], hub: url)
    }
}
