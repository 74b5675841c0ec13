/// Tells when a connection is dead though libnats does not know: when nothing comes back of what is sent, or when it has not
/// been made anew for long. And when it is deaf: servers that refuse a subscription forget it, also when they permit it again,
/// and only a new connection asks for it again. Pure; time is counted in looks, of which there are twenty a second, so that a process that was
/// stopped for a while gives nothing up when it goes on.
struct LinkLife {
    enum Step: Equatable { case wait, ask, giveUp }

    /// How many looks after the last question the next one is sent: a second.
    static let interval = 20
    /// After how many looks without an echo it is dead: about as long as libnats' pings take, and less than leases last.
    static let silence = 100
    /// After how many looks without a connection it is given up. Three servers that do not answer take libnats four seconds.
    static let absence = 200
    /// After how many looks since something was refused it is given up: a quarter of a minute, for what is refused may be refused
    /// again.
    static let refusal = 300

    private var sinceAsked = Self.interval
    private var sinceHeard = 0
    private var sinceConnected = 0
    private var sinceRefused = 0
    /// Servers may not let this user send itself anything: then silence says nothing.
    private var isAnswered = false
    private var isGivenUp = false

    /// Takes in what is there now.
    mutating func look(isConnected: Bool, isHeard: Bool, isRefused: Bool = false) -> Step {
        if isHeard { (sinceHeard, isAnswered) = (0, true) }
        if isGivenUp { return .wait }
        if isRefused || sinceRefused > 0 { sinceRefused += 1 }
        if isConnected, sinceRefused > Self.refusal { return giveUp() }
        guard isConnected else {
            (sinceHeard, sinceAsked) = (0, Self.interval)
            sinceConnected += 1
            return sinceConnected >= Self.absence ? giveUp() : .wait
        }
        sinceConnected = 0
        if !isHeard { sinceHeard += 1 }
        if isAnswered, sinceHeard >= Self.silence { return giveUp() }
        sinceAsked += 1
        guard sinceAsked >= Self.interval else { return .wait }
        sinceAsked = 0
        return .ask
    }

    private mutating func giveUp() -> Step {
        isGivenUp = true
        return .giveUp
    }
}
