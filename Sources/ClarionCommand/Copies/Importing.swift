import ClarionClient
import Glibc

/// An import under way: batches of events that follow each other on one topic, so that the order of the log is kept.
struct Importing {
    /// A line that is to be posted.
    private struct Line {
        let number: Int
        let event: ExportedEvent
    }

    private var batch = Batch<Line>()
    private var number = 0
    /// The CloudEvents that came, by hashes: 8 bytes of each.
    private var identities: Set<Int> = []
    private var imported = 0
    private var repeated = 0
    private(set) var skipped = 0

    /// What was done.
    var words: String {
        var words = "\(imported) events imported"
        if repeated > 0 { words += ", \(repeated) of them were there" }
        if skipped > 0 { words += ", \(skipped) of the hub's own left out" }
        return words
    }

    /// Takes the next line.
    mutating func take(_ line: [UInt8], _ client: ClarionClient) async throws {
        number += 1
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return }
        guard let event = ExportedEvent(line) else {
            throw Failure.exit(EX_DATAERR, "line \(number) is no CloudEvent with clariontopic")
        }
        if let name = event.foreignMember {
            throw Failure.exit(
                EX_DATAERR,
                "line \(number): \"\(name.prefix(64))\" is no attribute of a CloudEvent, whose names have the letters a to z and digits only"
            )
        }
        if let fault = event.fault { throw Failure.exit(EX_DATAERR, "line \(number): \(fault)") }
        guard !event.isReserved else {
            skipped += 1
            return
        }
        // The hub would take the second for the first again.
        let isRepeated = event.identity.map { !identities.insert($0.hashValue).inserted } ?? false
        let mustStandAlone = isRepeated || event.isAmbiguous
        // With the comma.
        let size = line.count + 1
        if mustStandAlone || !batch.hasRoom(for: size) || batch.last.map({ !$0.event.isOnTopic(of: event) }) ?? false {
            try await flush(client)
        }
        if mustStandAlone { return try await postAlone(Line(number: number, event: event), client) }
        batch.append(Line(number: number, event: event), bytes: size)
    }

    /// Posts what was taken.
    mutating func flush(_ client: ClarionClient) async throws {
        var parts = batch.take()
        while let part = parts.next(), let first = part.first {
            do throws(ClientError) {
                try await post(part.map { $0.event.bytes }, to: first.event.topic, client)
                continue
            } catch {
                guard error.isOfEvents else { throw error }
            }
            // Which one it was, and whether it is taken in another way, is seen in ever smaller parts.
            if part.count > 1 {
                parts.halve(part)
            } else {
                try await postAlone(first, client)
            }
        }
    }

    /// Posts an event under a key of its own: as it is, and if it is not taken so, as its data.
    private mutating func postAlone(_ line: Line, _ client: ClarionClient) async throws {
        let event = line.event
        do throws(ClientError) {
            if !event.isAmbiguous {
                do throws(ClientError) {
                    return try await post([event.bytes], to: event.topic, key: event.key, client)
                } catch {
                    guard error.isOfEvents else { throw error }
                }
            }
            let post = event.asData
            let receipts = try await Self.retrying { () async throws(ClientError) in
                try await client.postAll(
                    post.data,
                    to: event.topic,
                    type: post.type,
                    contentType: post.contentType,
                    key: event.key,
                    headers: post.attributes
                )
            }
            count(receipts)
        } catch {
            Remark.endProgress()
            Remark.line("line \(line.number), topic \(event.topic): the hub does not take it")
            throw error
        }
    }

    private mutating func post(
        _ events: [[UInt8]],
        to topic: String,
        key: String? = nil,
        _ client: ClarionClient
    ) async throws(ClientError) {
        let receipts = try await Self.retrying { () async throws(ClientError) in
            try await client.post(cloudEvents: events, to: topic, key: key)
        }
        count(receipts)
    }

    private mutating func count(_ receipts: [ClarionClient.Receipt]) {
        imported += receipts.count
        repeated += receipts.count { $0.isReplay }
        Remark.progress("\(imported) events")
    }

    /// Does something again as long as the hub says when.
    private static func retrying<Result>(
        _ body: () async throws(ClientError) -> Result
    ) async throws(ClientError) -> Result {
        for _ in 0..<20 {
            do throws(ClientError) {
                return try await body()
            } catch {
                guard error.isOfHub, error.isPassing, let wait = error.retryAfter else { throw error }
                guard (try? await Task.sleep(for: max(wait, .milliseconds(100)))) != nil else { throw error }
            }
        }
        return try await body()
    }
}
