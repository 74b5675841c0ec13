/// Something that waits to be written. Indirect: it is handed through several arrays before it is.
indirect enum WriteRequest: Sendable {
    /// Events, and who is called with how it went.
    case append(
        [EventDraft],
        if: AppendCondition?,
        at: Placement? = nil,
        acknowledge: @Sendable (Result<AppendReceipt, EventLogError>) -> Void
    )
    case change(LogChange)

    /// What a row costs beside its data, in bytes: enough that a flood of empty events is bounded too.
    static let rowOverhead = 256

    /// How many events it adds to a group; a change counts as one.
    var events: Int {
        switch self {
        case .append(let drafts, _, _, _): max(drafts.count, 1)
        case .change: 1
        }
    }

    /// About how many bytes of memory it holds.
    var bytes: Int {
        switch self {
        case .append(let drafts, _, _, _):
            drafts.reduce(WriteRequest.rowOverhead) {
                $0 + $1.data.count + ($1.attributes?.count ?? 0) + WriteRequest.rowOverhead
            }
        case .change: WriteRequest.rowOverhead
        }
    }

    /// The bytes of its posts.
    var postedBytes: Int {
        if case .append = self { bytes } else { 0 }
    }

    /// Nil for events.
    var change: LogChange? {
        if case .change(let change) = self { change } else { nil }
    }

    /// Says that nothing of it was written.
    func fail(_ error: EventLogError) {
        switch self {
        case .append(_, _, _, let acknowledge): acknowledge(.failure(error))
        case .change(let change): change.fail(error)
        }
    }
}
