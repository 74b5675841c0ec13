import CCurl
import DequeModule
import HTTPTransport
import Posix

/// What the transport thread runs: the multi handle and the exchanges under way. Confined to that thread.
struct TransportLoop: ~Copyable {
    let multi: MultiHandle
    let options: TransportOptions
    private let clocks: Clocks
    private var active: [UInt64: Exchange] = [:]
    /// Attempts that are begun some at a time.
    private var upcoming: Deque<TransportRequest> = []
    private var results: [TransportResult] = []
    private var hasReadAuthorities = false

    /// How many attempts are begun in one turn at endpoints that may not answer: to connect takes 0.1 ms, and of a thousand
    /// the last would hold up for as long whoever answers.
    private static let beginningsPerTurn = 16

    /// How long nothing must have happened, in milliseconds, for 35 more to be no loss.
    private static let quietTime: Int64 = 250

    init?(options: TransportOptions, clocks: Clocks) {
        guard let multi = MultiHandle(options) else { return nil }
        self.multi = multi
        self.options = options
        self.clocks = clocks
    }

    var wakeUp: WakeUp { multi.wakeUp }

    /// Starts attempts. Their first bytes leave at the next ``turn()``; those at endpoints that did not answer just now
    /// may leave later.
    mutating func begin(_ requests: [TransportRequest]) {
        guard !requests.isEmpty else { return }
        let isBurst = upcoming.count + requests.count > Self.beginningsPerTurn
        for request in requests where isBurst && request.standing != .prompt { upcoming.append(request) }
        start(isBurst ? requests.filter { $0.standing == .prompt } : requests)
    }

    private mutating func start(_ requests: some Sequence<TransportRequest>) {
        let (now, timeOfDay) = (clocks.now(), clocks.timeOfDay())
        for request in requests {
            if let reason = options.refusal(of: request.target.endpoint.url) {
                end(request, .answered(AttemptAnswer(failure: .egressBlocked, message: reason)))
                continue
            }
            guard let exchange = Exchange(request, options: options, now: now, timeOfDay: timeOfDay),
                multi.add(exchange)
            else {
                fail(request)
                continue
            }
            active[request.token] = exchange
        }
    }

    /// Gives up on attempts. Ones that have ended meanwhile are left alone.
    mutating func abort(_ tokens: [UInt64]) {
        if !upcoming.isEmpty {
            let tokens = Set(tokens)
            for request in upcoming where tokens.contains(request.token) { end(request, .aborted) }
            upcoming.removeAll { tokens.contains($0.token) }
        }
        for token in tokens {
            guard let exchange = active[token] else { continue }
            retire(exchange, ending: .aborted)
        }
    }

    mutating func abortAll() {
        for request in upcoming { end(request, .aborted) }
        upcoming = []
        abort(Array(active.keys))
    }

    /// Sends and receives what is possible without waiting; returns the attempts that ended since the last turn.
    mutating func turn() -> [TransportResult] {
        if !upcoming.isEmpty { start((0..<Self.beginningsPerTurn).compactMap { _ in upcoming.popFirst() }) }
        multi.perform()
        while let (exchange, code) = multi.nextFinished() { end(exchange, code) }
        defer { results.removeAll(keepingCapacity: true) }
        return results
    }

    /// Takes in that an exchange has ended; the next ``turn()`` tells of it.
    mutating func end(_ exchange: Exchange, _ code: CURLcode) {
        if let shortage = exchange.shortage(code) { return retire(exchange, ending: .unmade(shortage)) }
        let answer = exchange.answer(code)
        if answer.failure == .timeout { exchange.request?.target.timedOut(at: clocks.now()) }
        retire(exchange, ending: .answered(answer))
    }

    /// Waits until there is something to do, at most for that time. Uses the first quiet moment to get ready for TLS.
    mutating func wait(milliseconds: Int64) {
        if !upcoming.isEmpty { return }
        // Submissions end the wait, and so does libcurl's own next timeout.
        let time = hasReadAuthorities ? milliseconds : min(milliseconds, Self.quietTime)
        let isQuiet = !multi.wait(milliseconds: Int(time))
        guard isQuiet, !hasReadAuthorities, time == Self.quietTime else { return }
        hasReadAuthorities = true
        readAuthorities()
    }

    private mutating func retire(_ exchange: Exchange, ending: TransportResult.Ending) {
        multi.remove(exchange)
        guard let request = exchange.request else { return }
        active[request.token] = nil
        end(request, ending)
    }

    private mutating func fail(_ request: TransportRequest) {
        end(request, .unmade(Shortage(message: "libcurl has no memory for another attempt")))
    }

    private mutating func end(_ request: TransportRequest, _ ending: TransportResult.Ending) {
        results.append(TransportResult(request: request, ending: ending, timeOfDay: clocks.timeOfDay()))
    }
}
