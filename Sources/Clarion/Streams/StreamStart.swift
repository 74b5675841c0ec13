import EventLog

/// Where a stream starts, once the log has been asked what needs asking.
enum StreamStart: Hashable, Sendable {
    /// With the next event.
    case latest
    /// With what there is after a position: nobody was promised what is gone by then.
    case rest(after: Position)
    /// After an event that the client has got: what is gone since is missing.
    case resume(after: Position, asked: String)
    /// The client names an event that this log never had: all there is, after saying so.
    case unknown(asked: String)

    /// The position that a stream starts after.
    ///
    /// - Parameter tail: the log's newest position.
    func position(tail: Position) -> Position {
        switch self {
        case .latest: tail
        case .rest(let position), .resume(let position, _): position
        case .unknown: .start
        }
    }
}
