extension FixedWidthInteger {
    /// The number that decimal digits of ASCII say: without a sign, which `init(_:)` of a text takes. No text is made of them.
    ///
    /// - Returns: nil for no digits, for any other byte, and for what is too large.
    @inlinable
    package init?(digits: some Collection<UInt8>) {
        guard !digits.isEmpty else { return nil }
        self = 0
        for digit in digits {
            guard digit.isDigit else { return nil }
            let (tens, isBeyond) = multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = tens.addingReportingOverflow(Self(digit - UInt8(ascii: "0")))
            guard !isBeyond, !isTooLarge else { return nil }
            self = sum
        }
    }
}
