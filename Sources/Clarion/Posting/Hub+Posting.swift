import CoreMetrics
public import EventLog
import MicroHTTP
import Notation

/// What a program posts.
extension Hub {
    /// Posts an event and returns it once it is committed.
    ///
    /// - Throws: ``HubError`` if it was not stored: with the log's code and the `EventLogError` as its cause if it could not
    ///   be, with `draining` once the hub shuts down, with `topic-reserved` if its topic is the hub's own, with
    ///   `info-mismatch` if its topic is bound to a notification and its data is not what that carries; with the codes of
    ///   HTTP if its type (`event-type-invalid`), its content type or attributes (`parameter-invalid`,
    ///   `cloudevent-invalid`) or its idempotency key (`idempotency-key-invalid`) is none.
    @discardableResult
    public func post(_ draft: EventDraft) async throws(HubError) -> Event {
        try await counted { () throws(HubError) in try await store([try admit(draft)]) }[0]
    }

    /// Posts events, of any topics, next to each other and in this order: all of them or none; at most 10,000.
    ///
    /// - Returns: one event for each draft, once they are committed.
    /// - Throws: what ``post(_:)-(EventDraft)`` does; a pointer begins with the place of the draft, as in `/3/price`. With
    ///   `batch-too-large` if there are more.
    @discardableResult
    public func post(_ drafts: [EventDraft]) async throws(HubError) -> [Event] {
        if drafts.isEmpty { return [] }
        return try await counted { () throws(HubError) in
            // Others' posts wait while they are written.
            guard drafts.count <= Post.maximumEvents else {
                throw HubError(Problem.batchTooLarge(limit: Post.maximumEvents))
            }
            return try await store(
                try drafts.enumerated().map { index, draft throws(HubError) in try admit(draft, pointer: "/\(index)") }
            )
        }
    }

    /// Counts a post of the process, and how long it took.
    private func counted(_ post: () async throws(HubError) -> AppendReceipt) async throws(HubError) -> [Event] {
        let began = ContinuousClock.now
        do throws(HubError) {
            let receipt = try await post()
            metrics.posts.count(PostResult(.success(receipt)))
            metrics.postDuration.recordNanoseconds((ContinuousClock.now - began).nanoseconds)
            return receipt.events
        } catch {
            metrics.posts.count(PostResult.isConflict(error.code) ? .conflict : .refused)
            throw error
        }
    }

    private func admit(_ draft: EventDraft, pointer: String = "") throws(HubError) -> EventDraft {
        guard !isDraining else { throw HubError.draining }
        try HubError.requireFree(draft.topic, pointer: pointer)
        let checked: EventDraft
        do throws(Problem) {
            checked = try draft.checked()
        } catch {
            throw HubError(error, pointer: pointer)
        }
        do {
            return try bindings.admit(checked)
        } catch {
            throw HubError(code: HubError.infoMismatch, message: error.detail, pointer: pointer + error.pointer)
        }
    }

    private func store(_ drafts: [EventDraft]) async throws(HubError) -> AppendReceipt {
        do {
            return try await log.append(drafts, if: nil)
        } catch {
            // It was on its way when the hub began to shut down.
            if error.code == .closed, isDraining { throw HubError.draining }
            throw HubError(error)
        }
    }

    /// Posts text.
    ///
    /// ```swift
    /// try await hub.post("hello", to: "greetings")
    /// ```
    ///
    /// - Parameters:
    ///   - text: the data, sent as `text/plain; charset=utf-8`.
    ///   - topic: the name of the topic.
    ///   - type: a word for the kind of event, such as `created`, of 1 to 128 characters without line breaks; nil for none.
    /// - Throws: what ``post(_:)-(EventDraft)`` does, and ``HubError`` with code `topic-invalid`.
    @discardableResult
    public func post(_ text: String, to topic: String, type: String? = nil) async throws(HubError) -> Event {
        try await post(Array(text.utf8), contentType: "text/plain; charset=utf-8", to: topic, type: type)
    }

    /// Posts bytes as they are: an array of `UInt8`, `Data` and what is like them.
    ///
    /// ```swift
    /// try await hub.post(try Data(contentsOf: picture), to: "pictures")
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: the data. Its content type is the one of a post over HTTP that names none: `application/json` for an object or
    ///     an array, else `text/plain; charset=utf-8` for UTF-8, else `application/octet-stream`. An `EventDraft` names another.
    ///   - topic: the name of the topic.
    ///   - type: a word for the kind of event; nil for none.
    /// - Throws: what ``post(_:)-(EventDraft)`` does, and ``HubError`` with code `topic-invalid`.
    @discardableResult
    public func post(
        _ bytes: some RandomAccessCollection<UInt8> & Encodable & Sendable,
        to topic: String,
        type: String? = nil
    ) async throws(HubError) -> Event {
        let data = Array(bytes)
        return try await post(data, contentType: ContentType.stored(nil, data: data), to: topic, type: type)
    }

    /// Posts a value as JSON.
    ///
    /// ```swift
    /// try await hub.post(Order(id: 7, total: 12), to: "orders.created")
    /// ```
    ///
    /// - Parameters:
    ///   - value: what `JSONEncoder` makes `application/json` of: members in the order of their names, dates as RFC 3339,
    ///     those outside of the years 0000 to 9999 as the nearest inside. A `String?` is JSON, too: unwrap what is to be text.
    ///   - topic: the name of the topic.
    ///   - type: a word for the kind of event; nil for none.
    /// - Throws: what ``post(_:)-(EventDraft)`` does, and ``HubError`` with code `topic-invalid`, or with code
    ///   `value-invalid` if the value cannot be encoded.
    @discardableResult
    public func post(_ value: some Encodable & Sendable, to topic: String, type: String? = nil) async throws(HubError)
        -> Event
    {
        let data = try HubError.encoding(value)
        return try await post(data, contentType: "application/json", to: topic, type: type)
    }

    private func post(_ data: [UInt8], contentType: String, to topic: String, type: String?) async throws(HubError)
        -> Event
    {
        let name: Topic
        do throws(TopicError) {
            name = try Topic(topic)
        } catch {
            throw HubError(error)
        }
        return try await post(EventDraft(topic: name, type: type, contentType: contentType, data: data))
    }
}
