import Randomness
import Testing

@testable import Notation

@Suite struct RFC3339Tests {
    /// The oracle counts: each year's months by a list.
    private func lengths(of year: Int) -> [Int64] {
        let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    }

    private func digits(_ number: some BinaryInteger, _ width: Int) -> String {
        String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
    }

    @Test func `writes and reads a moment of each month that there is`() {
        var random = SeededGenerator(seed: 3339)
        var start = RFC3339.milliseconds.lowerBound
        var faults: [String] = []
        for year in 0...9999 {
            for (month, length) in lengths(of: year).enumerated() {
                let place = Int64.random(in: 0..<length * 86_400_000, using: &random)
                let moments = month == 1 || month == 11 ? [place, length * 86_400_000 - 1] : [place]
                for place in moments {
                    let (day, time) = (place / 86_400_000 + 1, place % 86_400_000)
                    let date = "\(digits(year, 4))-\(digits(month + 1, 2))-\(digits(day, 2))"
                    let (hour, minute) = (digits(time / 3_600_000, 2), digits(time / 60_000 % 60, 2))
                    let text =
                        "\(date)T\(hour):\(minute):\(digits(time / 1_000 % 60, 2)).\(digits(time % 1_000, 3))Z"
                    var bytes = Array("at ".utf8)
                    RFC3339.write(start + place, to: &bytes)
                    if RFC3339.text(of: start + place) != text || bytes != Array("at \(text)".utf8)
                        || RFC3339.moment(of: text) != start + place
                    {
                        faults.append(text)
                    }
                }
                start += length * 86_400_000
            }
        }
        #expect(faults.prefix(3) == [])
        #expect(start == RFC3339.milliseconds.upperBound + 1)
    }

    @Test func `what lies outside of the years that there are is not read`() {
        #expect(RFC3339.moment(of: "0000-01-01T00:00:00Z") == RFC3339.milliseconds.lowerBound)
        #expect(RFC3339.moment(of: "0000-01-01T00:00:00+00:01") == nil)
        #expect(RFC3339.moment(of: "9999-12-31T23:59:59.999999Z") == RFC3339.milliseconds.upperBound)
        #expect(RFC3339.moment(of: "9999-12-31T23:59:60Z") == nil)
        #expect(RFC3339.moment(of: "10000-01-01T00:00:00Z") == nil)
    }
}
