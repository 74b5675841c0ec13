internal import CNATS
import Locking
import Posix
import Synchronization

/// A connection to one of the servers of a cluster, which is made anew, to another, when it is lost. No callbacks: none of
/// libnats' threads ever runs code of this program.
///
/// libnats waits by the clock of the day: for its own pings, for answers, before it tries to connect again. Where that clock is
/// set back it waits for as long as it was set back, and notices nothing. So what libnats holds for a connection, a
/// ``NATSLink``, is looked at by a clock that does not step (``ConnectionMonitor``), and replaced when it is dead.
final class NATSConnection: Sendable {
    private let address: ClusterAddress
    private let name: String
    private let state: Lock<State>
    private let isStopped = Atomic(false)

    private struct State {
        var link: NATSLink
        /// How often links that are gone were made anew, and replaced.
        var reconnects = 0
    }

    /// What begins the subjects of answers.
    static let inbox = "_INBOX.clarion"

    /// How long after a failure to connect it is tried again.
    private static let rest = Duration.milliseconds(200)

    /// Connects to the first server that answers.
    init(to address: ClusterAddress, as name: String) throws(NATSError) {
        (self.address, self.name) = (address, name)
        let dead = Dead()
        state = Lock(State(link: try NATSLink(to: address, as: name) { dead.tell() }))
        dead.follow { [weak self] in self?.replace() }
    }

    deinit { isStopped.store(true, ordering: .releasing) }

    /// Whom to tell that a link is dead: it may be before there is anybody.
    private final class Dead: Sendable {
        private let state = Lock((isDead: false, follower: nil as (@Sendable () -> Void)?))

        func tell() {
            let follower = state.withLock { state in
                state.isDead = true
                return state.follower
            }
            follower?()
        }

        func follow(_ follower: @escaping @Sendable () -> Void) {
            let isDead = state.withLock { state in
                state.follower = follower
                return state.isDead
            }
            if isDead { follower() }
        }
    }

    /// The link of the moment. Whoever hands its pointer to libnats uses ``NATSLink/withPointer(_:)``: it may be replaced, and
    /// destroyed, meanwhile.
    var link: NATSLink { state.withLock { $0.link } }

    /// Gives the link up, and connects until there is another one. Waits.
    private func replace() {
        let old = link
        old.close()
        let made = old.reconnects
        while !isStopped.load(ordering: .acquiring) {
            if let new = try? NATSLink(to: address, as: name, whenDead: { [weak self] in self?.replace() }) {
                state.withLock { state in
                    state.link = new
                    state.reconnects += made + 1
                }
                if isStopped.load(ordering: .acquiring) { new.close() }
                return
            }
            _ = Semaphore().wait(atMost: Self.rest)
        }
    }

    /// Whether it is connected now, as far as is known. Never waits.
    var isConnected: Bool { link.watch.isConnected }

    /// Whether the servers have refused something since it was made, for want of permission. Never waits.
    var isRefused: Bool { link.watch.isRefused }

    /// How often it was made anew; 0 if that cannot be told.
    var reconnects: Int {
        let (link, before) = state.withLock { ($0.link, $0.reconnects) }
        return before + link.reconnects
    }

    /// The most bytes of one message, as the server said to which it is or was connected. Never waits.
    var maximumPayload: Int { link.watch.maximumPayload }

    /// Sends a message, some time soon.
    func publish(_ data: [UInt8], to subject: String, reply: String? = nil) throws(NATSError) {
        // What is published is copied before the call returns.
        let status = unsafe link.withPointer { pointer in
            unsafe data.withUnsafeBytes { bytes in
                if let reply {
                    unsafe natsConnection_PublishRequest(
                        pointer,
                        subject,
                        reply,
                        bytes.baseAddress,
                        Int32(bytes.count)
                    )
                } else {
                    unsafe natsConnection_Publish(pointer, subject, bytes.baseAddress, Int32(bytes.count))
                }
            }
        }
        try NATSError.check("natsConnection_Publish", status)
    }

    /// Asks, and waits for the answer.
    func request(_ data: [UInt8], to subject: String, atMost milliseconds: Int64 = 2_000) throws(NATSError)
        -> NATSMessage
    {
        var answer: OpaquePointer?
        let status = unsafe link.withPointer { pointer in
            unsafe data.withUnsafeBytes { bytes in
                unsafe natsConnection_Request(
                    &answer,
                    pointer,
                    subject,
                    bytes.baseAddress,
                    Int32(bytes.count),
                    milliseconds
                )
            }
        }
        try NATSError.check("natsConnection_Request \(subject)", status)
        guard let answer = unsafe answer else { throw NATSError("natsConnection_Request gave nothing") }
        return unsafe NATSMessage(taking: answer)
    }

    /// Hears what is sent to a subject from now on, also when the link has been replaced.
    /// - Parameter limit: what may wait to be read; what comes beyond is thrown away. Unless it is given, nothing is.
    func subscribe(
        to subject: String,
        atMost limit: (messages: Int, bytes: Int)? = nil
    ) throws(NATSError) -> NATSSubscription {
        try NATSSubscription(to: subject, atMost: limit, of: self)
    }

    /// Ends it. Who waits for a message waits no longer.
    func close() {
        isStopped.store(true, ordering: .releasing)
        link.close()
    }

    /// Waits until the server has everything that was published.
    func flush() {
        _ = unsafe link.withPointer { unsafe natsConnection_FlushTimeout($0, 1_000) }
    }
}
