import EventLog
import JSON
import MicroHTTP
import Webhooks

/// What a client asks for when it registers a webhook (http-api.md, "Observers"): parsed, checked, with defaults.
struct WebhookSpecification: Sendable {
    let topics: [TopicPattern]
    let url: WebhookURL
    let types: [String]
    let format: Endpoint.Format
    let headers: [CustomHeader]
    let description: String?
    let ordered: Bool
    let maxInFlight: Int
    let ratePerSecond: Double?
    let enabled: Bool
    /// Whether the endpoint is asked for its consent before anything is delivered to it.
    let handshake: Bool
    let signature: SigningSecret.Scheme
    /// A secret of the client's own, of that scheme.
    let secret: SigningSecret?

    static let maximumTopics = 100
    static let maximumTypes = 100
    static let maximumHeaders = 32
    /// Of the names and values of all headers together, in bytes. What servers take as a whole head is no more, as a rule.
    static let maximumHeaderBytes = 16 << 10
    static let maximumDescription = 1024

    /// Checks every member.
    ///
    /// - Parameters:
    ///   - httpsOnly: whether an `http` URL is refused,
    ///   - present: unless the webhook has it already.
    /// - Throws: a problem with the pointer of the member to blame.
    init(_ value: JSONValue, httpsOnly: Bool, present: WebhookURL? = nil) throws(Problem) {
        let members = try JSONMembers(value, known: Self.members)
        topics = try Self.topics(members)
        url = try Self.url(members, httpsOnly: httpsOnly, present: present)
        types = try Self.types(members)
        headers = try Self.headers(members)
        description = try members.string("description")
        if let description, description.utf8.count > Self.maximumDescription {
            throw JSONMembers.problem("description", "must be at most \(Self.maximumDescription) bytes")
        }
        format = try Self.choice("format", members) ?? .raw
        if let start = try members.string("start"), start != "latest" {
            throw JSONMembers.problem("start", "must be \"latest\"")
        }
        ordered = try members.bool("ordered") ?? false
        maxInFlight = try members.integer("maxInFlight", in: Endpoint.inFlightBounds) ?? 16
        ratePerSecond = try members.number("ratePerSecond")
        if let ratePerSecond, !(0.001...1_000_000).contains(ratePerSecond) {
            throw JSONMembers.problem("ratePerSecond", "must be from 0.001 to 1000000")
        }
        enabled = try members.bool("enabled") ?? true
        handshake = try members.bool("handshake") ?? false
        signature = try Self.choice("signature", members) ?? .hmac
        secret = try Self.secret(members, scheme: signature)
    }

    /// The specification as JSON that this type reads again; without the secret.
    ///
    /// - Parameter redacted: whether headers that are credentials have a mark instead of their value.
    func json(redacted: Bool = true) -> [String: JSONValue] {
        [
            "topics": .array(topics.map { .string($0.text) }),
            "url": .string(url.description),
            "types": .array(types.map(JSONValue.string)),
            "format": .string(format.rawValue),
            "headers": Self.json(headers) { redacted && $0.isSensitive ? CustomHeader.redacted : $0.value },
            "description": JSONValue(description),
            "start": "latest",
            "ordered": .bool(ordered),
            "maxInFlight": JSONValue(maxInFlight),
            "ratePerSecond": ratePerSecond.map(JSONValue.number) ?? .null,
            "enabled": .bool(enabled),
            "handshake": .bool(handshake),
            "signature": .string(signature.rawValue),
        ]
    }

    /// The headers that are credentials.
    var sensitiveHeaders: JSONValue {
        Self.json(headers.filter(\.isSensitive)) { $0.value }
    }

    private static func json(_ headers: [CustomHeader], _ value: (CustomHeader) -> String) -> JSONValue {
        .object(Dictionary(headers.map { ($0.name, .string(value($0))) }, uniquingKeysWith: { first, _ in first }))
    }

    private static func choice<Choice>(_ name: String, _ members: JSONMembers) throws(Problem) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let text = try members.string(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw JSONMembers.problem(name, "must be one of \(choices)")
        }
        return choice
    }

    private static func topics(_ members: JSONMembers) throws(Problem) -> [TopicPattern] {
        guard let texts = try members.strings("topics"), (1...maximumTopics).contains(texts.count) else {
            throw JSONMembers.problem("topics", "must name 1 to \(maximumTopics) topics or patterns")
        }
        return try texts.enumerated().map { index, text throws(Problem) in
            do throws(TopicError) {
                return try TopicPattern(text)
            } catch {
                throw Problem(.badRequest, code: error.code, detail: error.message, pointer: "/topics/\(index)")
            }
        }
    }

    private static func url(
        _ members: JSONMembers,
        httpsOnly: Bool,
        present: WebhookURL?
    ) throws(Problem) -> WebhookURL {
        guard let text = try members.string("url") else { throw JSONMembers.problem("url", "is required") }
        do {
            return try WebhookURL(text, httpsOnly: httpsOnly && text != present?.description)
        } catch {
            throw Problem(.badRequest, code: error.code.rawValue, detail: error.message, pointer: "/url")
        }
    }

    private static func types(_ members: JSONMembers) throws(Problem) -> [String] {
        let types = try members.strings("types") ?? []
        guard types.count <= maximumTypes else {
            throw JSONMembers.problem("types", "must name at most \(maximumTypes) types")
        }
        for (index, type) in types.enumerated() where !EventType.isValid(type) {
            throw JSONMembers.problem("types/\(index)", "is not an event type")
        }
        return types
    }

    private static func headers(_ members: JSONMembers) throws(Problem) -> [CustomHeader] {
        let map = try members.stringMap("headers") ?? [:]
        guard map.count <= maximumHeaders else {
            throw JSONMembers.problem("headers", "must have at most \(maximumHeaders) members")
        }
        var headers: [CustomHeader] = []
        for (name, value) in map.sorted(by: { $0.key < $1.key }) {
            do throws(WebhookError) {
                if headers.contains(where: { $0.isNamed(name) }) {
                    throw WebhookError(
                        code: .headerInvalid,
                        message: "There are two headers \"\(name)\": upper and lower case are the same in names."
                    )
                }
                headers.append(try CustomHeader(name: name, value: value))
            } catch {
                throw Problem(
                    .badRequest,
                    code: error.code.rawValue,
                    detail: error.message,
                    pointer: "/headers/\(JSONMembers.escape(name))"
                )
            }
        }
        guard headers.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= maximumHeaderBytes else {
            throw Problem(
                .badRequest,
                code: WebhookError.Code.headerInvalid.rawValue,
                detail: "The names and values of all headers together must be at most \(maximumHeaderBytes) bytes.",
                pointer: "/headers"
            )
        }
        return headers
    }

    /// The member `secret`, of whichever object.
    ///
    /// - Throws: `secret-invalid`, also if it is of another scheme.
    static func secret(_ members: JSONMembers, scheme: SigningSecret.Scheme) throws(Problem) -> SigningSecret? {
        guard let text = try members.string("secret") else { return nil }
        do throws(WebhookError) {
            let secret = try SigningSecret(text)
            guard secret.scheme == scheme else {
                throw WebhookError(
                    code: .secretInvalid,
                    message:
                        "This is a secret of the signature \"\(secret.scheme.rawValue)\", not \"\(scheme.rawValue)\"."
                )
            }
            return secret
        } catch {
            throw Problem(.badRequest, code: error.code.rawValue, detail: error.message, pointer: "/secret")
        }
    }
}
