import Access
import EventLog

/// What a client asks a stream to be, apart from where it begins.
struct StreamWish: Sendable {
    /// A name of the client's own, if it gives one.
    let name: ObserverID?
    let topics: [TopicPattern]
    let types: EventTypes
    let format: EventEnvelope
    let remoteAddress: String?
    let address: ClientAddress
    /// Who asks for it.
    let caller: Caller
    /// In a cluster, from when it is to have its name: after whoever has it at another node.
    var namedAt: Timestamp?

    /// Whom the stream counts for: its address, and its credential.
    var clients: [StreamPlaces.Client] {
        guard let principal = caller.principal, !principal.isAnonymous else { return [.address(address)] }
        return [.address(address), .principal(principal.id)]
    }
}
