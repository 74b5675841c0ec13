import EventLog

/// The replays and recoveries that are under way. They go in steps, which take turns: few of them, so that a turn comes soon, and
/// none twice, so that nothing is renewed for who asked long ago and asks again.
struct Redeliveries {
    /// What there are as many of as may be.
    enum Bound {
        case ofWebhook
        case ofCredential
        case ofHub
    }

    /// The most at once.
    static let limit = 16

    /// The most of one credential, so that one leaves room for others.
    static let limitOfCredential = 4

    /// By whom they were asked for.
    private var underWay: [ObserverID: Caller] = [:]

    /// - Returns: the bound that stands against it; nil if it has begun.
    mutating func begin(of webhook: ObserverID, for caller: Caller) -> Bound? {
        if underWay[webhook] != nil { return .ofWebhook }
        // A hub without credentials does not tell its clients apart.
        if caller.principal != nil,
            underWay.values.count(where: caller.isSame) >= Self.limitOfCredential
        {
            return .ofCredential
        }
        guard underWay.count < Self.limit else { return .ofHub }
        underWay[webhook] = caller
        return nil
    }

    mutating func end(of webhook: ObserverID) { underWay[webhook] = nil }
}
