import Access
import FoundationEssentials
import Locking

/// A key set at a URL, which fails while it has none.
final class Publisher: KeySetFetcher {
    struct IsDown: Error {}

    private let state = Lock<(set: String?, fetches: Int, refusal: String?, isHeld: Bool)>((nil, 0, nil, false))

    var set: String? {
        get { state.withLock { $0.set } }
        set { state.withLock { $0.set = newValue } }
    }

    /// Why no URL can ever be fetched.
    var refusal: String? {
        get { state.withLock { $0.refusal } }
        set { state.withLock { $0.refusal = newValue } }
    }

    /// Whether answers are held back: they are those of the time that they were asked for.
    var isHeld: Bool {
        get { state.withLock { $0.isHeld } }
        set { state.withLock { $0.isHeld = newValue } }
    }

    func refusal(of url: URL) -> String? { refusal }

    /// How often it was asked.
    var fetches: Int { state.withLock { $0.fetches } }

    func fetch(_ url: URL) async throws -> [UInt8] {
        let set = state.withLock { state in
            state.fetches += 1
            return state.set
        }
        while isHeld { try await Task.sleep(for: .milliseconds(2)) }
        guard let set else { throw IsDown() }
        return Array(set.utf8)
    }
}
