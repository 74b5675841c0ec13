/// Whether an endpoint's attempts cost the transport next to nothing: they are answered, over connections that are there.
///
/// A handshake of TLS takes a thread for about a millisecond, so endpoints that need one for each attempt must not share
/// one with those that do not: see ``Transport``. To change threads costs a new connection. So an endpoint is taken for
/// steady at first, unless many are new with it. It ceases to be by the first attempt that has no answer, or by many
/// handshakes: the first few are those of the connections that it opens. It is steady again after a run of attempts without
/// trouble, which has to be longer each time. An answer that is a failure is no trouble: the connection is still there.
struct Steadiness {
    private(set) var isSteady = true

    private var isTried = false

    /// Attempts without trouble, less what handshakes cost.
    private var credit = Self.most

    /// How much is wanted to become steady.
    private var wanted = Self.wantedFirst

    private static let wantedFirst = 8
    private static let wantedMost = 256

    /// What one handshake costs.
    private static let handshake = 4

    /// The most credit, which is also what an endpoint begins with that is steady: for as many connections as two
    /// endpoints may open that have the usual window.
    private static let most = 128

    /// An attempt begins.
    ///
    /// - Parameter isCrowded: whether many attempts are under way at endpoints of which nothing is known.
    mutating func begin(isCrowded: Bool) {
        if !isTried, isCrowded { (isSteady, credit) = (false, 0) }
        isTried = true
    }

    /// Takes in how an attempt ended. One that was answered late says nothing: to wait costs the thread nothing.
    mutating func note(_ answer: AttemptAnswer) {
        guard answer.failure == nil || answer.failure == .status else { return lose() }
        if answer.timings?.secured != nil {
            credit -= Self.handshake
        } else if answer.duration < Trust.promptTime {
            credit = min(credit + 1, Self.most)
        }
        if credit < 0 {
            lose()
        } else if !isSteady, credit >= wanted {
            (isSteady, credit) = (true, Self.most)
        }
    }

    private mutating func lose() {
        if isSteady { wanted = min(wanted * 2, Self.wantedMost) }
        (isSteady, credit) = (false, 0)
    }
}
