import Access
import EventLog
import MicroHTTP

/// The one place that every request passes on its way to a route's handler: finds out who asks, and whether they may.
final class Gate: Sendable {
    /// Nil if the hub is open: then everybody may do everything.
    let credentials: Credentials?
    private let origins: OriginCheck
    private let work: BackgroundWork
    private let failedLogins = FailedLogins()
    /// Of what a page of another origin may have had a browser send: it would lock out who reads it.
    private let foreignLogins = FailedLogins(capacity: 4_096)
    /// Nil if changes are not bounded.
    private let rate: ChangeRate?

    /// - Parameter rate: how many changes a second each client may make; 0 for any number.
    init(credentials: Credentials?, origins: OriginCheck, rate: Int, work: BackgroundWork) {
        self.rate = rate > 0 ? ChangeRate(perSecond: rate) : nil
        self.credentials = credentials
        self.origins = origins
        self.work = work
    }

    /// Has a handler answer a request, if who asks may have that.
    ///
    /// - Throws: 400 `credential-ambiguous`; 401 `credential-required` or `credential-invalid`; 403 `right-missing` or
    ///   `origin-refused`; 429 `rate-limited` after too many credentials that were not valid, or too many changes; 503
    ///   `overloaded` where the keys of a token's issuer are not here yet; 508 `loop-detected`.
    func admit(_ request: Request, _ need: Need, to handler: @escaping Router.Handler) throws(Problem) -> Reply {
        // A part of the process, which is trusted: nothing that comes over the network has a name yet.
        if request.identity is Caller { return try handler(request) }
        if !request.method.isSafe { try requireNoLoop(request, need) }
        guard let credentials, let check = need.check else {
            request.identity = Caller.anyone
            try count(request, by: nil)
            return try handler(request)
        }
        guard let (shown, failedLogins) = try credential(of: request) else {
            return try answer(request, for: Caller(credentials.anonymous), check, handler)
        }
        let lock = failedLogins.isBlank ? nil : failedLogins.lock(on: ClientAddress(request))
        if let lock, !lock.isShared { throw .tooManyFailedLogins(seconds: lock.seconds) }
        // As a rule it was seen before.
        if let principal = credentials.known(shown) {
            return try answer(request, for: Caller(principal), check, handler)
        }
        if let lock { throw .tooManyFailedLogins(seconds: lock.seconds) }
        return .later { [self] responder in
            work.start(for: responder) { [self] in
                do throws(CredentialFault) {
                    let caller = Caller(try await credentials.authenticate(shown))
                    responder.reply { [self] in
                        do throws(Problem) {
                            return try answer(request, for: caller, check, handler)
                        } catch {
                            return .now(error.response(instance: request.id))
                        }
                    }
                } catch {
                    // Nobody has guessed anything, and all that come back after a restart may be told so.
                    if error.reason == .keysUnavailable {
                        responder.respond(.keysUnavailable(error.detail))
                        return
                    }
                    // Nor here: many clients show it again and again.
                    let wait = error.reason == .expired ? nil : failedLogins.count(ClientAddress(request))
                    responder.respond(
                        wait.map { .tooManyFailedLogins(seconds: $0) } ?? .credentialInvalid(error.detail)
                    )
                }
            }
        }
    }

    /// What lasts is not begun with a token that is over, though clocks may differ: it would end at once, again and again.
    ///
    /// - Parameter isForChange: whether it is for a change that has taken some time: that has the minute that requests have.
    /// - Throws: 401 `credential-invalid`.
    func requireInForce(_ caller: Caller, forChange isForChange: Bool = false) throws(Problem) {
        guard let credentials, let principal = caller.principal else { return }
        guard credentials.isInForce(principal, forRequest: isForChange) else {
            throw .credentialInvalid("The credential has expired, was changed, or was taken back.")
        }
    }

    private func answer(
        _ request: Request,
        for caller: Caller,
        _ check: @Sendable (Request, Caller) throws(Problem) -> Void,
        _ handler: Router.Handler
    ) throws(Problem) -> Reply {
        // First, so that the log says who was refused.
        request.identity = caller
        try count(request, by: caller.principal)
        try check(request, caller)
        return try handler(request)
    }

    /// A browser sends its cookies with whatever any page has it ask for: one counts for a change only if a page of ours, or
    /// one that was allowed by name, asks.
    ///
    /// - Returns: what is shown, and where it counts if it is not valid; nil if nothing is.
    private func credential(of request: Request) throws(Problem) -> (text: String, failures: FailedLogins)? {
        guard let shown = try ShownCredential(request) else { return nil }
        switch shown.place {
        case .field: return (shown.text, failedLogins)
        case .target: try origins.requireForTarget(request)
        case .cookie: guard request.method.isSafe || origins.isOfTrustedPage(request) else { return nil }
        }
        return (shown.text, origins.isForeign(request) ? foreignLogins : failedLogins)
    }

    private func count(_ request: Request, by principal: Principal?) throws(Problem) {
        if let rate, !request.method.isSafe { try rate.take(request, by: principal) }
    }

    private func requireNoLoop(_ request: Request, _ need: Need) throws(Problem) {
        if need.takesDeliveries { _ = try HopCount.of(request) } else { try HopCount.requireNone(request) }
    }
}
