/// Where a stream goes on when its connection is lost, and when: a state machine without clocks or I/O.
struct Resumption {
    /// What follows the end of a connection.
    enum Step: Equatable {
        case again(after: Duration)
        case fail(ClientError)
    }

    private let start: ClarionClient.Start
    /// After which event it stands; nil as long as nothing is known.
    private var position: String?
    private var hasConnected = false
    /// How many connections in a row were not made.
    private var failures = 0
    /// Whether the connection that ends next was made.
    private var isConnected = false
    /// How many connections have ended at the event after the position, since it cannot be read.
    private var unreadable = 0
    /// How many connections in a row were made and ended without an event.
    private var eventless = 0
    private var retry = Resumption.usualRetry

    private static let usualRetry = Duration.seconds(3)
    private static let retries = Duration.milliseconds(10)...(.seconds(3600))
    private static let longestBackoff = Duration.seconds(30)
    /// What a wish for shorter waits counts for as long as no event comes.
    private static let longestLeast = Duration.seconds(1)
    /// An event may be damaged on its way. One that is not read the third time is not the next time either.
    private static let mostUnreadable = 3

    init(_ start: ClarionClient.Start) {
        self.start = start
    }

    /// Where the next connection is to begin.
    var next: ClarionClient.Start { position.map { .after($0) } ?? start }

    /// A stream was opened.
    ///
    /// - Parameter id: the position it starts after, as the hub says. What comes from there on is not missed, even if the
    ///   connection ends before the first event. To begin with the earliest event stays that: after a position the hub
    ///   would have to tell of a gap if retention has moved on.
    mutating func connected(after id: String?) {
        hasConnected = true
        isConnected = true
        failures = 0
        guard position == nil, start != .earliest, let id, !id.isEmpty else { return }
        position = id
    }

    /// An event came, or was passed over.
    mutating func passed(_ id: String) {
        guard !id.isEmpty, id != position else { return }
        position = id
        unreadable = 0
        eventless = 0
    }

    /// The stream says how long to wait before the next connection. Less than a second is kept to as long as events come:
    /// without them the wait doubles from 10 ms up to that.
    mutating func retry(milliseconds: Int64) {
        let retry = Duration.milliseconds(min(milliseconds, 3_600_000))
        self.retry = min(max(retry, Self.retries.lowerBound), Self.retries.upperBound)
    }

    /// A connection ended, or was not made.
    ///
    /// The first must be made: a typo in a URL is an error at once. From then on only the hub's own refusal ends the stream,
    /// and an event that cannot be read however often it comes.
    ///
    /// - Parameters:
    ///   - error: why; nil if it ended in order.
    ///   - jitter: chance, 0 to 1, so that not all come at once when a hub is back.
    mutating func ended(_ error: ClientError?, jitter: Double) -> Step {
        if isConnected { eventless += 1 }
        defer { isConnected = false }
        guard let error else { return .again(after: max(retry, leastWait)) }
        if isConnected, error.code == ClientError.answerUnreadable { unreadable += 1 }
        let isFinal =
            error.isOfHub && !error.isPassing || Self.finals.contains(error.code) || unreadable == Self.mostUnreadable
        guard hasConnected, !isFinal else { return .fail(error) }
        if error.code == ClientError.interrupted { return .again(after: max(retry, leastWait)) }
        failures = max(failures + 1, unreadable)
        let backoff = retry * Double(1 << min(failures - 1, 16))
        let wait = min(backoff, max(Self.longestBackoff, retry)) * (1 + 0.2 * jitter)
        return .again(after: max(wait, error.retryAfter ?? .zero))
    }

    private var leastWait: Duration {
        guard eventless > 0 else { return Self.retries.lowerBound }
        return min(Self.retries.lowerBound * (1 << min(eventless - 1, 7)), Self.longestLeast)
    }

    /// Faults of this side, which do not pass.
    private static let finals = [ClientError.eventTooLarge, ClientError.cancelled, ClientError.argumentInvalid]
}
