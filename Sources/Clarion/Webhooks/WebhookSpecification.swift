import EventLog
import MicroHTTP
import Webhooks

/// What a client asks for when it registers a webhook (http-api.md, "Observers"): parsed, checked, with defaults.
struct WebhookSpecification: Sendable {
    let topics: [TopicPattern]
    let url: WebhookURL
    let types: [String]
    let headers: [CustomHeader]
    let description: String?
    let ordered: Bool
    let maxInFlight: Int
    let ratePerSecond: Double?
    let enabled: Bool
    let secret: SigningSecret?

    /// What is shown instead of a header's value that is a credential.
    static let redacted = "[redacted]"

    private static let maximumTopics = 100
    private static let maximumTypes = 100
    private static let maximumHeaders = 32
    private static let maximumDescription = 1024

    /// Checks every member.
    ///
    /// - Throws: a problem with the pointer of the member to blame.
    init(_ value: JSONValue, httpsOnly: Bool) throws(Problem) {
        var members = try JSONMembers(value)
        topics = try Self.topics(&members)
        url = try Self.url(&members, httpsOnly: httpsOnly)
        types = try Self.types(&members)
        headers = try Self.headers(&members)
        description = try members.string("description")
        if let description, description.utf8.count > Self.maximumDescription {
            throw JSONMembers.problem("description", "must be at most \(Self.maximumDescription) bytes")
        }
        if let format = try members.string("format"), format != "raw" {
            throw JSONMembers.problem("format", "must be \"raw\"")
        }
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
        secret = try Self.secret(&members)
        try members.end()
    }

    /// The specification as JSON that this type reads again; with the secret only where it is stored or shown once.
    func json(showing secret: SigningSecret? = nil, redacted: Bool = true) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "topics": .array(topics.map { .string($0.text) }),
            "url": .string(url.description),
            "types": .array(types.map(JSONValue.string)),
            "format": .string("raw"),
            "headers": .object(
                Dictionary(
                    headers.map { ($0.name, .string(redacted && $0.isSensitive ? Self.redacted : $0.value)) },
                    uniquingKeysWith: { first, _ in first }
                )
            ),
            "description": description.map(JSONValue.string) ?? .null,
            "start": .string("latest"),
            "ordered": .bool(ordered),
            "maxInFlight": .number(Double(maxInFlight)),
            "ratePerSecond": ratePerSecond.map(JSONValue.number) ?? .null,
            "enabled": .bool(enabled),
        ]
        if let secret { members["secret"] = .string(secret.text) }
        return members
    }

    private static func topics(_ members: inout JSONMembers) throws(Problem) -> [TopicPattern] {
        guard let texts = try members.strings("topics"), (1...maximumTopics).contains(texts.count) else {
            throw JSONMembers.problem("topics", "must name 1 to \(maximumTopics) topics or patterns")
        }
        var topics: [TopicPattern] = []
        for (index, text) in texts.enumerated() {
            do {
                topics.append(try TopicPattern(text))
            } catch {
                throw Problem(.badRequest, code: error.code, detail: error.message, pointer: "/topics/\(index)")
            }
        }
        return topics
    }

    private static func url(_ members: inout JSONMembers, httpsOnly: Bool) throws(Problem) -> WebhookURL {
        guard let text = try members.string("url") else { throw JSONMembers.problem("url", "is required") }
        do {
            return try WebhookURL(text, httpsOnly: httpsOnly)
        } catch {
            throw Problem(.badRequest, code: error.code.rawValue, detail: error.message, pointer: "/url")
        }
    }

    private static func types(_ members: inout JSONMembers) throws(Problem) -> [String] {
        let types = try members.strings("types") ?? []
        guard types.count <= maximumTypes else {
            throw JSONMembers.problem("types", "must name at most \(maximumTypes) types")
        }
        for (index, type) in types.enumerated() where !EventType.isValid(type) {
            throw JSONMembers.problem("types/\(index)", "is not an event type")
        }
        return types
    }

    private static func headers(_ members: inout JSONMembers) throws(Problem) -> [CustomHeader] {
        let map = try members.stringMap("headers") ?? [:]
        guard map.count <= maximumHeaders else {
            throw JSONMembers.problem("headers", "must have at most \(maximumHeaders) members")
        }
        var headers: [CustomHeader] = []
        for (name, value) in map.sorted(by: { $0.key < $1.key }) {
            do {
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
        return headers
    }

    private static func secret(_ members: inout JSONMembers) throws(Problem) -> SigningSecret? {
        guard let text = try members.string("secret") else { return nil }
        do {
            return try SigningSecret(text)
        } catch {
            throw Problem(.badRequest, code: error.code.rawValue, detail: error.message, pointer: "/secret")
        }
    }
}
