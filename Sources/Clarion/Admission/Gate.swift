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

    init(credentials: Credentials?, origins: OriginCheck, work: BackgroundWork) {
        self.credentials = credentials
        self.origins = origins
        self.work = work
    }

    /// Has a handler answer a request, if who asks may have that.
    ///
    /// - Throws: 400 `credential-ambiguous`; 401 `credential-required` or `credential-invalid`; 403 `right-missing`;
    ///   429 `rate-limited` after too many credentials that were not valid.
    func admit(_ request: Request, _ need: Need, to handler: @escaping Router.Handler) throws(Problem) -> Reply {
        guard let credentials, let check = need.check else { return try handler(request.sent(by: .anyone)) }
        guard let shown = try credential(of: request) else {
            return try answer(request, for: Caller(credentials.anonymous), check, handler)
        }
        let address = ClientAddress(request)
        if let seconds = failedLogins.secondsToWait(address) { throw .tooManyFailedLogins(seconds: seconds) }
        // As a rule it was seen before.
        if let principal = credentials.known(shown) {
            return try answer(request, for: Caller(principal), check, handler)
        }
        return .later { [self] responder in
            work.start { [self] in
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
                    failedLogins.count(address)
                    responder.respond(.credentialInvalid(error.detail))
                }
            }
        }
    }

    /// What lasts is not begun with a token that is over, though clocks may differ: it would end at once, again and again.
    ///
    /// - Throws: 401 `credential-invalid`.
    func requireInForce(_ caller: Caller) throws(Problem) {
        guard let credentials, let principal = caller.principal else { return }
        guard credentials.isInForce(principal) else { throw .credentialInvalid("The credential has expired.") }
    }

    private func answer(
        _ request: Request,
        for caller: Caller,
        _ check: @Sendable (Request, Caller) throws(Problem) -> Void,
        _ handler: Router.Handler
    ) throws(Problem) -> Reply {
        try check(request, caller)
        return try handler(request.sent(by: caller))
    }

    /// A browser sends its cookies with whatever any page has it ask for: one counts for a change only if a page of ours, or
    /// one that was allowed by name, asks.
    private func credential(of request: Request) throws(Problem) -> Substring? {
        guard let shown = try ShownCredential(request) else { return nil }
        guard shown.isCookie else { return shown.text }
        switch request.method {
        case .get, .head, .options: return shown.text
        default: return origins.isOfTrustedPage(request) ? shown.text : nil
        }
    }
}

extension Request {
    fileprivate func sent(by caller: Caller) -> Request {
        var request = self
        request.identity = caller
        return request
    }
}
