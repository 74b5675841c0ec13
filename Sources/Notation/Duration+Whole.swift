extension Duration {
    /// Whole milliseconds, rounded toward zero; the greatest number there is for what is longer.
    package var milliseconds: Int64 { whole(perSecond: 1_000) }

    /// Whole nanoseconds, rounded toward zero; of more than 290 years, that many.
    package var nanoseconds: Int64 { whole(perSecond: 1_000_000_000) }

    private func whole(perSecond units: Int64) -> Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: units)
        let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / (1_000_000_000_000_000_000 / units))
        return overflows || overflowsToo ? (seconds < 0 ? .min : .max) : sum
    }
}
