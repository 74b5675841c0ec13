import JSON
import MicroHTTP
import Webhooks

extension WebhookSpecification {
    /// Every member that a client may send.
    static let members: Set = [
        "topics", "url", "types", "format", "headers", "description", "start", "ordered", "maxInFlight",
        "ratePerSecond", "enabled", "handshake", "signature", "secret",
    ]

    /// Refuses a patch with members that there are not: merging would drop those that are null without a word.
    ///
    /// - Throws: `member-unknown`, or `body-invalid` if it is no object.
    static func requireKnown(_ patch: JSONValue) throws(Problem) {
        _ = try JSONMembers(patch, known: members)
        guard case .object(let all) = patch, case .object(let headers) = all["headers"] else { return }
        // A name that is none, to be taken away, could be that of a header all the same, as Swift compares strings.
        for name in headers.keys.sorted() where !CustomHeader.isName(name) {
            throw Problem(
                .badRequest,
                code: WebhookError.Code.headerInvalid.rawValue,
                detail: "A header name is a token of 1 to 256 bytes.",
                pointer: "/headers/\(JSONMembers.escape(name))"
            )
        }
    }

    /// Puts the stored credentials back where a client sends what it was shown instead of them.
    ///
    /// - Throws: `member-invalid` if nothing is stored for such a header.
    static func restoring(_ value: JSONValue, from present: WebhookSpecification?) throws(Problem) -> JSONValue {
        guard case .object(var members) = value, case .object(var headers) = members["headers"] else { return value }
        for (name, header) in headers where header == .string(CustomHeader.redacted) {
            guard let stored = present?.headers.first(where: { $0.isNamed(name) }) else {
                throw JSONMembers.problem("headers/\(JSONMembers.escape(name))", "is what is shown instead of a value")
            }
            headers[name] = .string(stored.value)
        }
        members["headers"] = .object(headers)
        return .object(members)
    }

    /// Takes out of a document those headers that a patch names in another spelling: names differ in more than case.
    static func dropping(respelledIn patch: JSONValue, from document: JSONValue) -> JSONValue {
        guard case .object(var members) = document, case .object(var headers) = members["headers"],
            case .object(let changes) = patch, case .object(let changed) = changes["headers"]
        else { return document }
        let names = Set(changed.keys.map { $0.lowercased() })
        for name in headers.keys where changed[name] == nil && names.contains(name.lowercased()) { headers[name] = nil }
        members["headers"] = .object(headers)
        return .object(members)
    }
}
