import EventLog
import MicroHTTP

extension Router {
    /// `/topics/{topic}/value`: the newest event as the value of its topic.
    mutating func addValue(_ hub: Hub) {
        onAsync(.get, "/topics/{topic}/value", parameters: [], hub) { [log = hub.log] request in
            guard let event = try await log.lastEvent(of: try request.parameter("topic")) else {
                throw Problem(
                    .notFound,
                    code: "value-absent",
                    detail: "Nothing was posted on this topic, or all is gone."
                )
            }
            return Response.event(event, for: request, lifespan: .momentary)
        }
        on(.put, "/topics/{topic}/value", parameters: Post.parameters) { [weak hub] request throws(Problem) in
            guard let hub, !hub.isDraining else { throw Problem.draining }
            let post = try Post(request)
            guard !post.isBatch else {
                throw Problem.mediaTypeUnsupported("A value is one event; post a batch instead.")
            }
            return try hub.store(post, if: try AppendCondition(request), for: request) { receipt, _ in
                var response = Response.receipt(receipt)
                response.setHeader("ETag", "\"\(receipt.events[0].id)\"")
                return response
            }
        }
    }
}

extension AppendCondition {
    /// `If-Match` and `If-None-Match` of a request that changes something (RFC 9110 section 13.1): compare-and-set.
    ///
    /// - Returns: nil if there is neither.
    /// - Throws: 400 `parameter-invalid`.
    fileprivate init?(_ request: Request) throws(Problem) {
        let match = request.headers.values(of: "If-Match")
        let noneMatch = request.headers.values(of: "If-None-Match")
        guard !match.isEmpty else {
            guard !noneMatch.isEmpty else { return nil }
            guard noneMatch == ["*"] else {
                throw Self.invalid("If-None-Match", "It can be \"*\" only: the topic must have no value yet.")
            }
            self = .hasNone
            return
        }
        guard noneMatch.isEmpty else {
            throw Self.invalid("If-None-Match", "It cannot come together with \"If-Match\".")
        }
        guard match != ["*"] else {
            self = .hasEvent
            return
        }
        var ids: [EventID] = []
        for tag in match.flatMap({ $0.split(separator: ",") }) {
            let tag = tag.trimmingBlanks
            // Weak ones too: a proxy that compresses makes them of ours, and the value beneath is the same.
            let text = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
            guard text.utf8.count >= 2, text.utf8.first == quote, text.utf8.last == quote else {
                throw Self.invalid("If-Match", "It is \"*\", or the value's ETag with its quotes, or a list of them.")
            }
            // What is no id of an event is the tag of none.
            if let id = EventID(text.dropFirst().dropLast()) { ids.append(id) }
        }
        self = .newestIsOne(of: ids)
    }

    private static func invalid(_ parameter: String, _ detail: String) -> Problem {
        Problem(.badRequest, code: "parameter-invalid", detail: detail, parameter: parameter)
    }
}

private let quote = UInt8(ascii: "\"")

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        var text = self.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
