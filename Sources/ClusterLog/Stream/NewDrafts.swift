import EventLog

/// What of an append is published: what was not posted before under its key, and of two drafts of one key the first. So what is
/// in the stream is written as a whole or not at all, and a node that starts later need not be told which of it was.
struct NewDrafts: Sendable {
    /// Those of the append.
    let all: [EventDraft]
    /// Those that were posted before, by their places.
    private let replays: [Int: Event]
    /// The places of those that are published. If all were posted before, as if none had been: that is found again in its turn.
    private let places: [Int]
    /// For drafts of a key that an earlier one has, the place of that.
    private let firsts: [Int: Int]

    init(of drafts: [EventDraft], _ replays: [Int: Event]) {
        var found: [TopicKey: Int] = [:]
        var firsts: [Int: Int] = [:]
        for (place, draft) in drafts.enumerated() {
            guard let key = TopicKey(of: draft) else { continue }
            guard let first = found[key] else {
                found[key] = place
                continue
            }
            // Otherwise it is refused in its turn.
            if drafts[first].idempotencyKey?.fingerprint == draft.idempotencyKey?.fingerprint { firsts[place] = first }
        }
        all = drafts
        (self.replays, self.firsts) = (replays.count < drafts.count ? replays : [:], firsts)
        places = drafts.indices.filter { [replays = self.replays] in replays[$0] == nil && firsts[$0] == nil }
    }

    /// What is published.
    var drafts: [EventDraft] { places.count == all.count ? all : places.map { all[$0] } }

    /// The keys of what is not published as it was posted before, if it still is when the rest is carried out.
    var usedKeys: [UsedKey] {
        replays.sorted { $0.key < $1.key }.compactMap { place, event in
            all[place].idempotencyKey.map { UsedKey($0.text, of: event.topic, for: event.id.position) }
        }
    }

    /// What whoever posted all is told when that is carried out; nil if nothing was written.
    func receipt(_ receipt: AppendReceipt) -> AppendReceipt? {
        guard receipt.events.count == places.count else { return nil }
        if places.count == all.count { return receipt }
        let written = replays.merging(zip(places, receipt.events)) { known, _ in known }
        return AppendReceipt(
            events: all.indices.compactMap { written[$0] ?? firsts[$0].flatMap { written[$0] } },
            isReplay: receipt.isReplay
        )
    }

    /// An error that names one of what is published, with its place in all.
    func error(_ error: EventLogError) -> EventLogError {
        guard error.code == .idempotencyConflict, let place = error.place, places.indices.contains(place) else {
            return error
        }
        return EventLogError(code: error.code, message: error.message, place: places[place], cause: error.cause)
    }
}
