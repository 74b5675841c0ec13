import ClarionClient
import Glibc

/// An import under way: batches of events that follow each other on one topic, so that the order of the log is kept.
struct Importing {
    /// A line that is to be posted.
    private struct Line {
        let number: Int
        let event: ExportedEvent
    }

    private var batch: [Line] = []
    private var size = 0
    private var number = 0
    private var imported = 0
    private var repeated = 0
    private(set) var skipped = 0

    /// How large a batch is at most: below the smallest body that hubs are set to take, and short enough to hold up nobody.
    private static let (most, largest) = (1000, 256 * 1024)

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
        guard !event.isReserved else {
            skipped += 1
            return
        }
        let isFull = batch.count >= Self.most || size + line.count > Self.largest
        if isFull || batch.last.map({ $0.event.topic != event.topic }) ?? false { try await flush(client) }
        batch.append(Line(number: number, event: event))
        size += line.count
    }

    /// Posts what was taken.
    mutating func flush(_ client: ClarionClient) async throws {
        defer { (batch, size) = ([], 0) }
        guard let first = batch.first else { return }
        if !batch.contains(where: \.event.isAmbiguous) {
            do throws(ClientError) {
                let documents = batch.map(\.event.bytes)
                count(
                    try await Self.patiently { () async throws(ClientError) in
                        try await client.post(cloudEvents: documents, to: first.event.topic)
                    }
                )
                return
            } catch {
                // Which one it was, and whether it is taken in another way, is seen one by one.
                guard let status = error.status, (400...499).contains(status), ![401, 403].contains(status) else {
                    throw error
                }
            }
        }
        for line in batch { try await post(line, client) }
    }

    private mutating func post(_ line: Line, _ client: ClarionClient) async throws {
        let (event, topic) = (line.event, line.event.topic)
        do throws(ClientError) {
            if !event.isAmbiguous, batch.count > 1 {
                do throws(ClientError) {
                    count(
                        try await Self.patiently { () async throws(ClientError) in
                            try await client.post(cloudEvents: [event.bytes], to: topic)
                        }
                    )
                    return
                } catch {
                    guard error.status == 400 || error.status == 413 else { throw error }
                }
            }
            let post = event.asData
            count([
                try await Self.patiently { () async throws(ClientError) in
                    try await client.post(
                        post.data,
                        to: topic,
                        type: post.type,
                        contentType: post.contentType,
                        key: post.key,
                        headers: post.attributes
                    )
                }
            ])
        } catch {
            Remark.endProgress()
            Remark.line("line \(line.number), topic \(topic): the hub does not take it")
            throw error
        }
    }

    private mutating func count(_ receipts: [ClarionClient.Receipt]) {
        imported += receipts.count
        repeated += receipts.count { $0.isReplay }
        Remark.progress("\(imported) events")
    }

    /// Does something again as long as the hub says when.
    private static func patiently<Result>(
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
