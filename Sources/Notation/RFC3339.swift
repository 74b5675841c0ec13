/// Times of RFC 3339, section 5.6, as milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// By arithmetic on the days of the proleptic Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms"), counted in years that begin on 1 March so that the leap day comes last, and from the year -400, an era of
/// 146,097 days before all that there is, so that nothing is negative.
package enum RFC3339 {
    /// The years 0000 to 9999 of UTC: what can be written.
    @inlinable
    package static var milliseconds: ClosedRange<Int64> { -62_167_219_200_000...253_402_300_799_999 }

    /// The moment in UTC with milliseconds, such as `2026-11-20T23:19:00.123Z`.
    ///
    /// - Parameter moment: within ``milliseconds``.
    package static func text(of moment: Int64) -> String { shortText(of: moment).string }

    /// Appends what ``text(of:)`` gives, without making a string of it: for the encoders that run for every event.
    package static func write(_ moment: Int64, to bytes: inout [UInt8]) { shortText(of: moment).write(to: &bytes) }

    private static func shortText(of moment: Int64) -> ShortText {
        let (start, length) = (milliseconds.lowerBound, Int64(86_400_000))
        let (days, millisecond) = (moment - start).quotientAndRemainder(dividingBy: length)
        let (year, month, day) = date(ofDay: days + start / length)
        var text = ShortText()
        func append(_ value: Int64, _ width: Int, _ mark: UInt8) {
            text.appendDecimal(UInt64(value), width: width)
            text.append(mark)
        }
        append(year, 4, UInt8(ascii: "-"))
        append(month, 2, UInt8(ascii: "-"))
        append(day, 2, UInt8(ascii: "T"))
        append(millisecond / 3_600_000, 2, UInt8(ascii: ":"))
        append(millisecond / 60_000 % 60, 2, UInt8(ascii: ":"))
        append(millisecond / 1_000 % 60, 2, UInt8(ascii: "."))
        append(millisecond % 1_000, 3, UInt8(ascii: "Z"))
        return text
    }

    /// Reads a time with any offset and any number of decimals; what is finer than a millisecond is cut off, and a leap second is
    /// the second after. Nil if the text is none, or no such day exists.
    package static func moment(of text: some StringProtocol) -> Int64? {
        var scan = Scan(rest: Array(text.utf8)[...])
        guard let year = scan.number(4), scan.mark("-"), let month = scan.number(2), scan.mark("-"),
            let day = scan.number(2), scan.mark("T") || scan.mark("t"),
            let hour = scan.number(2), scan.mark(":"), let minute = scan.number(2), scan.mark(":"),
            let second = scan.number(2), let fraction = scan.fraction(), let offset = scan.offset(), scan.rest.isEmpty,
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = Self.day(of: year, month, day)
        // Of a day that there is not, such as the 30th of February, the number is another day's.
        guard date(ofDay: days) == (year, month, day) else { return nil }
        let seconds = days * 86_400 + hour * 3_600 + (minute - offset) * 60 + second
        let moment = seconds * 1_000 + fraction
        return milliseconds.contains(moment) ? moment : nil
    }

    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (day + 719_468 + 146_097).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 - 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func day(of year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let (era, yearOfEra) = (month <= 2 ? year + 399 : year + 400).quotientAndRemainder(dividingBy: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return (era - 1) * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

/// Reads the parts of a time from left to right.
private struct Scan {
    var rest: ArraySlice<UInt8>

    mutating func mark(_ mark: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(_ width: Int) -> Int64? {
        guard rest.count >= width, let value = Int64(digits: rest.prefix(width)) else { return nil }
        rest.removeFirst(width)
        return value
    }

    /// The milliseconds of the decimals, 0 if there are none; nil if the point has no digit after it.
    mutating func fraction() -> Int64? {
        guard mark(".") else { return 0 }
        let digits = rest.prefix(while: \.isDigit)
        guard !digits.isEmpty else { return nil }
        rest.removeFirst(digits.count)
        return zip(digits, [100, 10, 1] as [Int64]).reduce(0) { $0 + Int64($1.0 - UInt8(ascii: "0")) * $1.1 }
    }

    /// Minutes east of Greenwich.
    mutating func offset() -> Int64? {
        if mark("Z") || mark("z") { return 0 }
        let sign: Int64
        if mark("+") { sign = 1 } else if mark("-") { sign = -1 } else { return nil }
        guard let hours = number(2), hours < 24, mark(":"), let minutes = number(2), minutes < 60 else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
