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
}
