import Access
import EventLog
import JSON
import Locking
import MicroHTTP

/// The topics as a REST resource (http-api.md, "Topics").
struct TopicResource: Sendable {
    let store: any TopicStore
    let deletion: TopicDeletion
    let directory: ObserverDirectory
    let nodes: OtherNodes

    private let walks = SerialGate()
    private static let step = 1_000
    /// How many names are looked at in no turn. A burst of requests that look at more would hold up all other reads.
    private static let free = 101

    func list(_ request: Request, _ inquiry: Inquiry) async throws -> Response {
        let query = request.target.query
        let page = try ListPage(query)
        // One more than asked for tells whether there is more.
        let found = try await inquiry.find {
            try await visibleTopics(query["prefix"] ?? "", page, to: request.caller.grant)
        }
        let (topics, next) = page.cut(found) { $0.topic.name }
        return try await inquiry.answer {
            let shown = await documents(of: topics)
            let body: [String: JSONValue] = ["topics": .array(shown.value.map { .object($0) }), "next": next]
            return .uncached(.object(body.naming(unreachable: shown.missing)))
        }
    }

    /// The topics that somebody may hear, one more than the page takes. Only names that can be theirs are looked at, and of
    /// many of which few are so many at a time: one request after the other, for as long as somebody waits. As many names as a
    /// page mostly takes are looked at before: who may hear all of these waits for nobody who searches.
    private func visibleTopics(_ prefix: String, _ page: ListPage, to grant: Grant) async throws -> [TopicSummary] {
        let wanted = page.limit + 1
        let step = grant.allowsEverything(.subscribe) ? wanted : max(wanted, Self.step)
        var found: [TopicSummary] = []
        var free = grant.allowsEverything(.subscribe) ? wanted : min(wanted, Self.free)
        for prefix in grant.prefixes(of: .subscribe, within: prefix) {
            var after = page.after
            while found.count < wanted {
                let limit = free > 0 ? free : step
                let look = { [after] in
                    // Whoever asked may be gone by now.
                    try Task.checkCancellation()
                    return try await store.topics(prefix: prefix, after: after, limit: limit)
                }
                let part = try await free > 0 ? look() : walks.run(look)
                free = max(free - part.count, 0)
                found += part.filter { grant.allows(.subscribe, on: $0.topic) }.prefix(wanted - found.count)
                guard part.count == limit, let last = part.last else { break }
                after = last.topic.name
            }
        }
        return found
    }

    func read(_ request: Request) async throws -> Response {
        guard let summary = try await store.summary(of: try request.parameter("topic")) else { throw Self.unknown }
        return await answer(summary)
    }

    /// Replaces the topic's settings; the topic need not have events.
    func set(_ request: Request) async throws -> Response {
        let topic: Topic = try request.parameter("topic")
        let conditions = try Preconditions(request)
        var expected: Bool?
        if conditions.match != nil || conditions.noneMatch != nil {
            try await store.catchUp()
            let isThere = try await store.summary(of: topic) != nil
            try conditions.require(isThere ? .untagged : .nothing)
            // Where it matters it is to be so still when the topic is changed.
            if conditions.unmet(by: isThere ? .nothing : .untagged) != nil { expected = isThere }
        }
        let members = try JSONMembers(try request.json(), known: ["retention"])
        let retention = try members.value("retention").map { value throws(Problem) in
            try Retention(value, at: "retention")
        }
        let summary: TopicSummary?
        do throws(EventLogError) {
            summary = try await store.setRetention(retention, of: topic, expecting: expected)
        } catch {
            if error.code == .revisionChanged { try conditions.require(expected == true ? .nothing : .untagged) }
            throw error
        }
        return await answer(summary ?? .empty(topic))
    }

    func delete(_ request: Request) async throws -> Response {
        let topic: Topic = try request.parameter("topic")
        try topic.requireFree()
        let conditions = try Preconditions(request)
        if let field = conditions.unmet(by: .untagged) {
            guard try await store.summary(of: topic) != nil else { throw Self.unknown }
            throw Preconditions.problem(field, of: .untagged, code: "precondition-failed")
        }
        guard try await deletion.delete(topic) else { throw Self.unknown }
        return Response(.noContent)
    }

    private func answer(_ summary: TopicSummary) async -> Response {
        .uncached(.object(await documents(of: [summary]).value[0]))
    }

    /// Topics as the API shows them, with how many hear each at all nodes.
    private func documents(of topics: [TopicSummary]) async -> OtherNodes.Gathered<[[String: JSONValue]]> {
        let elsewhere = await nodes.counts(of: topics.map(\.topic))
        let here = directory.counts(of: topics.map(\.topic))
        let documents = topics.indices.map { place in
            let counts = here[place].merging(elsewhere.value[place], uniquingKeysWith: +)
            return TopicDocument.members(topics[place], observers: counts)
        }
        return OtherNodes.Gathered(value: documents, missing: elsewhere.missing)
    }

    private static var unknown: Problem {
        Problem(.notFound, code: "topic-unknown", detail: "This topic has neither events nor settings.")
    }
}
