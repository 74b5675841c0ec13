import CCurl

/// What the transport thread runs: the multi handle and the exchanges under way. Confined to that thread.
struct TransportLoop: ~Copyable {
    let multi: MultiHandle
    let options: TransportOptions
    private let clocks: Clocks
    private var active: [UInt64: Exchange] = [:]
    private var results: [TransportResult] = []
    private var hasReadAuthorities = false

    /// How long nothing must have happened, in milliseconds, for 35 more to be no loss.
    private static let quietTime: Int64 = 250

    init?(options: TransportOptions, clocks: Clocks) {
        guard let multi = MultiHandle(options) else { return nil }
        self.multi = multi
        self.options = options
        self.clocks = clocks
    }

    var wakeUp: WakeUp { multi.wakeUp }

    /// Starts attempts. Their first bytes leave at the next ``turn()``.
    mutating func begin(_ requests: [TransportRequest]) {
        guard !requests.isEmpty else { return }
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
        for token in tokens {
            guard let exchange = active[token] else { continue }
            retire(exchange, ending: .aborted)
        }
    }

    mutating func abortAll() {
        abort(Array(active.keys))
    }

    /// Sends and receives what is possible without waiting; returns the attempts that ended since the last turn.
    mutating func turn() -> [TransportResult] {
        multi.perform()
        while let (exchange, code) = multi.nextFinished() {
            if let shortage = exchange.shortage(code) {
                retire(exchange, ending: .unmade(shortage))
                continue
            }
            let answer = exchange.answer(code)
            if answer.failure == .timeout { exchange.request?.target.timedOut(at: clocks.now()) }
            retire(exchange, ending: .answered(answer))
        }
        defer { results.removeAll(keepingCapacity: true) }
        return results
    }

    /// Waits until there is something to do. Uses the first quiet moment to get ready for TLS.
    mutating func wait() {
        // Only an upper bound: submissions end the wait, and so does libcurl's own next timeout.
        let isQuiet = !multi.wait(milliseconds: hasReadAuthorities ? 60_000 : Self.quietTime)
        guard isQuiet, !hasReadAuthorities else { return }
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
