import EventLog

/// What the end of the stream says of what was taken from it.
enum StreamEnd: Equatable {
    /// It has it, or has removed it.
    case goesOn
    /// The servers that answer do not have all of it yet: they have just begun, or look for a leader, which takes up to
    /// half a minute when the one they had is cut off.
    case isBehind
    /// The servers' power failed before the end was on disk, and its places were given to other messages.
    case isLost

    /// How far servers' clocks may differ, by which messages are dated, in milliseconds.
    static let mostSkew: Int64 = 5_000

    /// - Parameters:
    ///   - last: the place of the newest message.
    ///   - found: the message there, or at the place of what was taken if the stream goes on beyond; nil if it was removed.
    ///   - taken: what was taken last.
    init(at last: UInt64, where found: Delivered?, after taken: Delivered) {
        let isShort = last < taken.sequence
        guard let found else {
            self = isShort ? .isBehind : .goesOn
            return
        }
        let lead = found.time.milliseconds - taken.time.milliseconds
        if isShort {
            // Time alone does not tell: what stands before what was taken is older.
            self = lead > Self.mostSkew ? .isLost : .isBehind
        } else {
            self = abs(lead) > 1 ? .isLost : .goesOn
        }
    }
}
