/// What its attempts say of whether an endpoint answers.
struct Trust {
    /// How long an attempt may take that is prompt, in milliseconds.
    static let promptTime: Int64 = 1000

    /// How long an attempt took that speaks against its endpoint, in milliseconds.
    private static let hangingTime: Int64 = 5000

    /// How many prompt endings make up for one that was not.
    private static let endingsForTrust = 8

    /// How many of the attempts under way are slow.
    var slowUnderWay = 0

    /// When an attempt ended last that did not hang.
    private(set) var answeredAt: Int64?

    private var hasEnded = false

    /// How many attempts must end promptly before the endpoint counts as one that answers: one that hangs now and then
    /// would take a slot with each good answer, and keep it.
    private var promptEndingsWanted = 0

    /// Whether the endpoint answers, as far as is known.
    var isProven: Bool { hasEnded && slowUnderWay == 0 && promptEndingsWanted == 0 }

    func standing(at now: Int64) -> Standing {
        guard hasEnded || slowUnderWay > 0 else { return .unknown }
        guard isProven else { return .slow }
        return answeredAt.map { now - $0 < Self.promptTime } == true ? .prompt : .proven
    }

    /// Takes in how an attempt ended that could be made.
    mutating func note(_ answer: AttemptAnswer, now: Int64) {
        hasEnded = true
        if answer.failure == .timeout || answer.duration >= Self.hangingTime {
            promptEndingsWanted = Self.endingsForTrust
        } else {
            // One that a machine held up for a moment goes on at once.
            answeredAt = now
            if answer.duration < Self.promptTime { promptEndingsWanted = max(promptEndingsWanted - 1, 0) }
        }
    }

    /// Forgets whether the endpoint answers: it may be another one now.
    mutating func reset() { self = Trust(slowUnderWay: slowUnderWay) }
}
