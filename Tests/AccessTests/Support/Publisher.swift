import Access
import FoundationEssentials
import Locking

/// A key set at a URL, which fails while it has none.
final class Publisher: KeySetFetcher {
    struct IsDown: Error {}

    private let state = Lock<(set: String?, fetches: Int)>((nil, 0))

    var set: String? {
        get { state.withLock { $0.set } }
        set { state.withLock { $0.set = newValue } }
    }

    /// How often it was asked.
    var fetches: Int { state.withLock { $0.fetches } }

    func fetch(_ url: URL) async throws -> [UInt8] {
        let set = state.withLock { state in
            state.fetches += 1
            return state.set
        }
        guard let set else { throw IsDown() }
        return Array(set.utf8)
    }
}
