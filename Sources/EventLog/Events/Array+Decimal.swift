extension [UInt8] {
    /// Appends the decimal digits of a number, padded with zeros to a width of at least `width`.
    mutating func appendDecimal(_ number: UInt64, width: Int = 1) {
        let first = count
        var number = number
        repeat {
            append(UInt8(ascii: "0") + UInt8(number % 10))
            number /= 10
        } while number > 0
        while count - first < width { append(UInt8(ascii: "0")) }
        self[first...].reverse()
    }
}
