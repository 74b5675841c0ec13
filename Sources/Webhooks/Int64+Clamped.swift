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

    /// The whole part of a number, or the nearest number that there is; 0 for what is no number.
    init(clamping number: Double) {
        // 2⁶³, which is no Int64, is the first Double that is too large; -2⁶³ is both.
        let bound = 0x1p63
        self = number >= bound ? .max : number <= -bound ? .min : number.isNaN ? 0 : Int64(number)
    }
}
