/// Arithmetic on times whose parts others have chosen: what lies beyond the numbers there are becomes the last of them, and
/// the hub does not end over it.
extension Int64 {
    /// The sum, or the nearest number that there is.
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the nearest number that there is.
    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
