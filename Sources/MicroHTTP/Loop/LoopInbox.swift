import Locking
import Posix

/// What other threads have for an event loop.
final class LoopInbox: Sendable {
    struct Mail {
        var arrivals: [Arrival] = []
        var ready: [DetachedStream] = []
        var orders: Orders = []

        fileprivate var isEmpty: Bool { arrivals.isEmpty && ready.isEmpty && orders.isEmpty }

        /// Keeps the room that it has.
        mutating func empty() {
            arrivals.removeAll(keepingCapacity: true)
            ready.removeAll(keepingCapacity: true)
            orders = []
        }
    }

    struct Orders: OptionSet {
        let rawValue: Int
        /// A suspended connection goes on.
        static let resume = Orders(rawValue: 1)
        /// The connections are looked at now, and not at the next tick.
        static let watch = Orders(rawValue: 2)
        /// All streams are cut.
        static let cut = Orders(rawValue: 4)
        /// The thread ends.
        static let stop = Orders(rawValue: 8)
    }

    private struct State {
        var mail = Mail()
        var isAsleep = false
    }

    private let state = Lock(State())

    /// Leaves something. Returns whether the loop sleeps, and so must be woken. From any thread.
    func leave(_ change: (inout Mail) -> Void) -> Bool {
        state.withLock { state in
            change(&state.mail)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
    }

    /// Takes what is there, in exchange for mail that was emptied. If there is none, the loop is asleep from here on.
    ///
    /// - Parameter wait: how long it may sleep, in milliseconds; 0 for not at all.
    /// - Returns: how long it may sleep now.
    func take(_ mail: inout Mail, orSleep wait: Int32) -> Int32 {
        state.withLock { state in
            guard state.mail.isEmpty else {
                // Back and forth, so that neither side's arrays grow anew.
                swap(&mail, &state.mail)
                return 0
            }
            state.isAsleep = wait != 0
            return wait
        }
    }

    func awake() {
        state.withLock { $0.isAsleep = false }
    }
}
