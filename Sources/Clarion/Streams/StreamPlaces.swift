import Access
import Locking

/// How many streams there are, in all and of each client, and how many there may be.
///
/// A stream counts from before it is made until the last of it is gone, and in no other place: its ``StreamPlace`` goes with
/// it, however it ends.
final class StreamPlaces: Sendable {
    /// Whose streams are counted together.
    enum Client: Hashable, Sendable {
        case address(ClientAddress)
        case principal(PrincipalID)
    }

    /// What becomes of a stream that wants a place.
    enum Answer {
        case granted(StreamPlace)
        /// There are as many as there may be.
        case full
        /// There are as many of this client as there may be.
        case clientIsFull
    }

    private struct Counts {
        var all = 0
        /// Nobody stays here without a stream.
        var ofClients: [Client: Int] = [:]
    }

    /// How many there may be.
    let maximum: Int
    private let maximumPerClient: Int
    private let counts = Lock(Counts())

    init(maximum: Int, perClient: Int) {
        self.maximum = maximum
        maximumPerClient = perClient
    }

    /// How many streams there are.
    var count: Int { counts.withLock { $0.all } }

    /// Whose streams there are, each with how many.
    var clients: [Client: Int] { counts.withLock { $0.ofClients } }

    /// Takes a place for a stream of some clients: its address, and its credential if it has one.
    ///
    /// A stream that takes the name of another may go beyond what there may be, since the other is about to go: but a client
    /// never has more than twice its share, for it may be that client that keeps the others from going.
    ///
    /// - Parameter displaced: who has the name that the stream is to have.
    func take(_ clients: [Client], displacing displaced: StreamPlace?) -> Answer {
        counts.withLock { counts in
            guard counts.all < maximum || displaced != nil else { return .full }
            for client in clients {
                let isReplaced = displaced?.clients.contains(client) ?? false
                let count = counts.ofClients[client, default: 0]
                guard (isReplaced ? count / 2 : count) < maximumPerClient else { return .clientIsFull }
            }
            counts.all += 1
            for client in clients { counts.ofClients[client, default: 0] += 1 }
            return .granted(StreamPlace(clients, self))
        }
    }

    fileprivate func leave(_ clients: [Client]) {
        counts.withLock { counts in
            counts.all -= 1
            for client in clients {
                let count = counts.ofClients[client] ?? 0
                counts.ofClients[client] = count > 1 ? count - 1 : nil
            }
        }
    }
}

/// A stream's place among all that there may be, for as long as it is held.
final class StreamPlace: Sendable {
    let clients: [StreamPlaces.Client]
    private let places: StreamPlaces

    fileprivate init(_ clients: [StreamPlaces.Client], _ places: StreamPlaces) {
        self.clients = clients
        self.places = places
    }

    deinit { places.leave(clients) }
}
