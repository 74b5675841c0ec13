/// A moment to wait for by a clock that may be set back: then it has come at once, instead of being waited for all over.
struct Deadline {
    private var made = Timestamp.earliest
    private var due = Timestamp.earliest

    /// - Parameter milliseconds: how long after now.
    mutating func make(after milliseconds: Int64, from now: Timestamp) {
        made = now
        due = now.advanced(byMilliseconds: milliseconds)
    }

    /// One that was never made has come.
    func hasCome(at now: Timestamp) -> Bool { now >= due || now < made }
}
