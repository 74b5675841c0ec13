import EventLog

/// What a client asks a stream to be, apart from where it begins.
struct StreamWish: Sendable {
    /// A name of the client's own, if it gives one.
    let name: ObserverID?
    let topics: [TopicPattern]
    let types: TypeFilter
    let format: Feed.Format
    let remoteAddress: String?
    /// Who asks for it.
    let caller: Caller
}
