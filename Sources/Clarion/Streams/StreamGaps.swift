import EventLog

/// Which gaps a stream is still to be sent: a state machine without locks or I/O, of the one that reads the log for it.
///
/// A gap is announced before the event at which the stream goes on, so only when that is known. Removals are numbered:
/// what went before the last one that was announced, or before the stream asked for what there is, is not announced
/// again, although pages may go on to meet it where a stream has several topics.
struct StreamGaps: Sendable {
    private var pending: StreamGap?
    /// The number of the newest removal that need not be announced any more.
    private var known: Int64?
    /// The id as the client gave it, until the first page.
    private var asked: String?
    /// Whether what is gone by the first page is not missed.
    private var takesWhatThereIs = false

    /// Of a stream that has got everything up to where it stands.
    init() {}

    init(_ start: StreamStart) {
        switch start {
        case .latest: break
        case .rest: takesWhatThereIs = true
        case .resume(_, let asked): self.asked = asked
        case .unknown(let asked): pending = StreamGap(asked: asked, reason: .unknownID)
        }
    }

    /// Whether there is something to announce even if nothing is to be read.
    var isPending: Bool { pending != nil }

    /// The log was read on.
    /// - Parameters:
    ///   - removal: the number of the newest removal after the position from which it was read.
    ///   - id: the id of that position.
    mutating func read(lastRemoval removal: Int64?, after id: @autoclosure () -> String) {
        defer {
            asked = nil
            takesWhatThereIs = false
        }
        guard let removal, known.map({ removal > $0 }) ?? true else { return }
        known = removal
        if takesWhatThereIs || pending != nil { return }
        pending = StreamGap(asked: asked ?? id(), reason: .retention)
    }

    /// The gap to announce now. It is not returned again.
    /// - Parameter canTell: whether an event follows, or nothing more is there.
    mutating func take(if canTell: Bool) -> StreamGap? {
        canTell ? pending.take() : nil
    }
}

/// History that a stream was to go on from but that is gone.
struct StreamGap: Hashable, Sendable {
    /// The id after which history is missing, as the client gave it if it did.
    let asked: String
    let reason: GapReason
}
