import FoundationEssentials
import JSON
import MicroHTTP
import Notation

/// The whole HTTP interface, without a connection.
extension Hub {
    /// Makes a request of the hub's HTTP interface (docs/http-api.md) inside the process, where everything is allowed: the same
    /// routes, checks and answers, also of a hub that does not listen.
    ///
    /// ```swift
    /// struct Version: Decodable { let openapi: String }
    ///
    /// let version = try await hub.request("GET", "/openapi.json").decoded(as: Version.self)
    /// try await hub.request("POST", "/observers/billing/recover", body: ["since": "1h"])
    /// ```
    ///
    /// - Parameters:
    ///   - method: such as `GET`.
    ///   - target: the path and the query, percent-encoded as in a URL.
    ///   - body: is sent as JSON; nil for none.
    ///   - headers: further fields, such as `If-Match`.
    /// - Returns: an answer of success. That of a stream is not to be had: see `events(_:from:)`.
    /// - Throws: ``HubError`` with the code, words and pointer of the problem that the hub answers (docs/errors.md).
    @discardableResult
    public func request(
        _ method: String,
        _ target: String,
        body: (any Encodable & Sendable)? = nil,
        headers: [(name: String, value: String)] = []
    ) async throws(HubError) -> HubAnswer {
        var headers = headers
        var bytes: [UInt8] = []
        if let body {
            bytes = try HubError.encoding(body)
            if !headers.contains(where: { $0.name.utf8.isEqual(to: "content-type") }) {
                headers.append(("Content-Type", "application/json"))
            }
        }
        if HopCount.ofTask > 0, !headers.contains(where: { $0.name.utf8.isEqual(to: "clarion-hop") }) {
            headers.append(("\(HopCount.field)", "\(HopCount.ofTask)"))
        }
        let response = await router.answer(Method(method), target, headers: headers, body: bytes, as: Caller.anyone)
        guard response.status.code < 400 else { throw HubError(problemOf: response) }
        return HubAnswer(status: Int(response.status.code), headers: response.headers, body: response.body)
    }

    /// The same for an answer that is JSON.
    func request<Value: Decodable>(
        _ type: Value.Type,
        _ method: String,
        _ target: String,
        body: (any Encodable & Sendable)? = nil,
        headers: [(name: String, value: String)] = []
    ) async throws(HubError) -> Value {
        let answer = try await request(method, target, body: body, headers: headers)
        do {
            return try answer.decoded(as: type)
        } catch {
            throw HubError(code: "internal", message: "The hub's answer cannot be read: \(error)", cause: error)
        }
    }
}

/// What the hub answers to a request of the process, or a ``HubRoute`` to one of a client.
public struct HubAnswer: Sendable {
    /// The status, such as 200.
    public let status: Int

    /// The header fields, in order.
    public let headers: [(name: String, value: String)]

    /// The bytes of the body; none if there are none.
    public let body: [UInt8]

    /// An answer of those parts.
    public init(status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer of text.
    public init(text: String, status: Int = 200) {
        self.init(status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array(text.utf8))
    }

    /// The body as JSON. Dates are read as the interface writes times, and posted values have them: RFC 3339.
    ///
    /// - Throws: `DecodingError` if it is none, or not of that type.
    public func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        try JSONDecoder.ofValues.decode(type, from: Data(body))
    }
}

extension HubError {
    /// - Throws: `value-invalid` for what cannot be made JSON of.
    static func encoding(_ value: some Encodable) throws(HubError) -> [UInt8] {
        do {
            return try InfoCoder.encode(value)
        } catch {
            let message = "The value cannot be made JSON of: \(error)"
            throw HubError(code: valueInvalid, message: message, cause: error.cause)
        }
    }

    private struct Problem: Decodable {
        let code: String
        let detail: String?
        let pointer: String?
    }

    fileprivate init(problemOf response: Response) {
        let problem = try? JSONDecoder().decode(Problem.self, from: Data(response.body))
        self.init(
            code: problem?.code ?? "internal",
            message: problem?.detail ?? "The hub answered \(response.status.code).",
            pointer: problem?.pointer
        )
    }
}
