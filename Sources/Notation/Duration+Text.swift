extension Duration {
    /// The units, largest first, in milliseconds.
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    /// The longest duration that is read: 36,500 days, about a century.
    private static let longest: Int64 = 36_500 * 86_400_000

    /// Reads whole numbers with units, `d`, `h`, `m`, `s` or `ms`, each unit at most once and the larger before the
    /// smaller, without blanks: `30s`, `7d`, `1h30m`. Nil for any other text, and beyond 36,500 days.
    package init?(text: String) {
        var rest = text.utf8[...]
        var units = Self.units[...]
        var sum: Int64 = 0
        repeat {
            let digits = rest.prefix(while: \.isDigit)
            rest = rest[digits.endIndex...]
            let name = rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            rest = rest[name.endIndex...]
            guard let number = Int64(digits: digits),
                let unit = units.firstIndex(where: { $0.name == String(Substring(name)) })
            else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: units[unit].milliseconds)
            guard !overflow, product <= Self.longest, sum + product <= Self.longest else { return nil }
            sum += product
            units = units[(unit + 1)...]
        } while !rest.isEmpty
        self = .milliseconds(sum)
    }

    /// The text that ``init(text:)`` reads, to the millisecond, in as few units as possible: `1h30m`, `7d`, `0s`.
    package var text: String {
        var rest = milliseconds
        var text = ""
        for unit in Self.units where rest >= unit.milliseconds {
            text += "\(rest / unit.milliseconds)\(unit.name)"
            rest %= unit.milliseconds
        }
        return text.isEmpty ? "0s" : text
    }
}
