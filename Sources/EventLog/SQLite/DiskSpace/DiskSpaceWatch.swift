/// How often the file system is asked how much space there is: a pure state machine. The more there was, and the less was
/// written since, the longer the answer holds; but others write too, so it never holds for long.
struct DiskSpaceWatch: Sendable {
    /// How long an answer holds.
    static let pause = Duration.milliseconds(200)

    private var available = 0
    private var written = 0
    private var lookedAt: ContinuousClock.Instant?

    /// Whether to ask before so many bytes are written.
    func mustLook(beforeWriting bytes: Int, at now: ContinuousClock.Instant) -> Bool {
        guard let lookedAt else { return true }
        return written + bytes > available / 16 || now - lookedAt > Self.pause
    }

    mutating func saw(_ bytes: Int, at now: ContinuousClock.Instant) {
        available = bytes
        written = 0
        lookedAt = now
    }

    mutating func wrote(_ bytes: Int) { written += bytes }
}
