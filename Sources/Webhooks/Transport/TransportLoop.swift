import DequeModule
import HTTPTransport
import Posix

/// What the transport thread runs: the multi handle and the transfers under way. Confined to that thread.
struct TransportLoop: ~Copyable {
    private let multi: MultiHandle
    private let template: EasyHandle
    private let options: TransportOptions
    private let store: any DeliveryStore
    private var active: [UInt64: Transfer] = [:]
    /// Attempts that are begun some at a time.
    private var upcoming: Deque<TransportRequest> = []
    private var results: [TransportResult] = []

    /// How many attempts are begun in one turn at endpoints that may not answer: to connect takes 0.1 ms, and of a thousand
    /// the last would hold up for as long whoever answers.
    private static let beginningsPerTurn = 16

    init?(keptConnections: Int, options: TransportOptions, store: any DeliveryStore) {
        guard let multi = MultiHandle(keptConnections: keptConnections), let template = options.template()
        else { return nil }
        self.multi = multi
        self.template = template
        self.options = options
        self.store = store
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
        let (now, timeOfDay) = (store.now, store.timeOfDay)
        for request in requests {
            if let reason = options.refusal(of: request.destination.endpoint.url) {
                end(request, .answered(AttemptAnswer(failure: .egressBlocked, message: reason)))
                continue
            }
            let transfer = Transfer(request, options: options, store, like: template, now: now, timeOfDay: timeOfDay)
            guard let transfer, multi.add(transfer.easy) else {
                end(request, .unmade("libcurl has no memory for another attempt"))
                continue
            }
            active[request.token] = transfer
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
            guard let transfer = active[token] else { continue }
            retire(transfer, ending: .aborted, isGivenUp: true)
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
        while let (transfer, ending) = multi.nextFinished(of: Transfer.self) { end(transfer, ending) }
        defer { results.removeAll(keepingCapacity: true) }
        return results
    }

    private mutating func end(_ transfer: Transfer, _ ending: TransferEnding) {
        if transfer.isWithdrawn { return retire(transfer, ending: .aborted, isGivenUp: false) }
        let shortage = transfer.shortage(ending)
        let ended = shortage.map(TransportResult.Ending.unmade) ?? .answered(transfer.answer(ending))
        retire(transfer, ending: ended, isGivenUp: ending.isTimedOut)
    }

    /// Waits until there is something to do, at most for that time.
    func wait(milliseconds: Int64) {
        if upcoming.isEmpty { multi.wait(milliseconds: Int(milliseconds)) }
    }

    private mutating func retire(_ transfer: Transfer, ending: TransportResult.Ending, isGivenUp: Bool) {
        let leavesLookup =
            isGivenUp && !transfer.request.destination.isAddress && transfer.easy.time(to: .resolved) == nil
        multi.remove(transfer.easy)
        active[transfer.request.token] = nil
        end(transfer.request, ending, leavesLookup: leavesLookup)
    }

    private mutating func end(
        _ request: TransportRequest,
        _ ending: TransportResult.Ending,
        leavesLookup: Bool = false
    ) {
        let time = store.timeOfDay
        results.append(TransportResult(request: request, ending: ending, timeOfDay: time, leavesLookup: leavesLookup))
    }
}
