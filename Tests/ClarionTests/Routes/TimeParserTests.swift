import Notation
import Webhooks
import JSON
import EventLog
import Randomness
import Testing

@testable import Clarion
@testable import MicroHTTP

/// Times, durations and numbers in requests.
@Suite struct TimeParserTests {
    /// The days of a month, counted from a list.
    private func days(_ month: Int, _ year: Int) -> Int {
        guard (1...12).contains(month) else { return 0 }
        let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    private func digits(_ number: Int, _ width: Int) -> String {
        String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
    }

    @Test func timesAreReadExactlyIfThereAreSuch() {
        search { random in
            let (year, month, day) = (random.number(0...9999), random.number(0...13), random.number(0...32))
            let (hour, minute, second) = (random.number(0...24), random.number(0...60), random.number(0...61))
            let (east, minutes) = (random.number(0...24), random.number(0...60))
            let isUTC = random.chance(2)
            let offset =
                isUTC
                ? random.one(of: ["Z", "z"]) : random.one(of: ["+", "-"]) + digits(east, 2) + ":" + digits(minutes, 2)
            let fraction = random.one(of: ["", ".0", ".999999999999999999999", ".1", "."])
            let text =
                "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))\(random.one(of: ["T", "t"]))"
                + "\(digits(hour, 2)):\(digits(minute, 2)):\(digits(second, 2))\(fraction)\(offset)"
            let isLegal =
                (1...max(1, days(month, year))).contains(day) && days(month, year) > 0 && hour < 24 && minute < 60
                && second <= 60 && fraction != "." && (isUTC || (east < 24 && minutes < 60))
            let time = Timestamp(rfc3339: text)
            // Offsets can lead out of the years that there are.
            let isInside = (1...9998).contains(year)
            guard isInside ? (time != nil) == isLegal : time == nil || isLegal else { return "\(text): \(time != nil)" }
            guard let time else { return nil }
            guard Timestamp(rfc3339: time.rfc3339) == time else { return "\(text) is \(time.rfc3339)" }
            return isUTC && second < 60 && !time.rfc3339.hasPrefix(text.prefix(19).uppercased())
                ? "\(text) is \(time.rfc3339)" : nil
        }
    }

    @Test func durationsComeBackAsTheyWere() {
        let units: [(String, Int64)] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)]
        search { random in
            var (text, sum) = ("", Int64(0))
            for (unit, milliseconds) in units where random.chance(2) {
                let number = Int64(random.number(0...40_000))
                text += "\(number)\(unit)"
                sum += number * milliseconds
            }
            let duration = Duration(text: text)
            let isLegal = !text.isEmpty && sum <= 36_500 * 86_400_000
            guard duration == (isLegal ? .milliseconds(sum) : nil) else {
                return "\(text) is \(String(describing: duration))"
            }
            guard duration.map({ Duration(text: $0.text) == $0 }) ?? true else { return "\(text) does not come back" }
            let mutated = random.mutatedText(text)
            guard let read = Duration(text: mutated) else { return nil }
            return Duration(text: read.text) == read && (0...36_500 * 86_400_000).contains(read.milliseconds)
                ? nil : mutated
        }
    }

    @Test func sinceIsAPlaceOrRefused() {
        let texts = [
            "latest", "earliest", "last", "10m", "36500d", "2026-11-20T23:19:00.5+01:00", "0000-01-01T00:00:00Z",
        ]
        let moments = [Timestamp.earliest, .latest, .now(), Timestamp(milliseconds: 0)]
        search { random in
            let text = random.mutatedText(random.one(of: texts))
            var since: Since?
            let refusal = code { since = try Since(text, now: random.one(of: moments)) }
            guard refusal == nil || refusal == "since-invalid" else { return "\(text): \(refusal ?? "")" }
            if case .moment(let moment) = since, !(Timestamp.earliest...Timestamp.latest).contains(moment) {
                return text
            }
            let again = code {
                _ = try RedeliveryStart(.object(["since": .string(text)]), now: random.one(of: moments))
            }
            return again == nil || again == "since-invalid" ? nil : "\(text) again: \(again ?? "")"
        }
    }

    @Test func limitsAndCursors() {
        search { random in
            let limit = random.mutatedText(random.one(of: ["1", "1000", "100", "0", "1001", "-1", "٣"]))
            let cursor = random.mutatedText(random.one(of: ["MTIzIHN0cl8x", "b3JkZXJz", "NDE=", ""]))
            let query = "limit=\(PercentEncoding.encode(limit))&cursor=\(PercentEncoding.encode(cursor))"
            guard let target = try? Target("/observers?\(query)") else { return "\(query) is no target" }
            let refusal = code { _ = try ListPage.limit(target.query) }
            let isLegal =
                limit.utf8.allSatisfy { (48...57).contains($0) } && Int(limit).map { (1...1000).contains($0) } == true
            guard refusal == (isLegal ? nil : "parameter-invalid") else { return "\(limit): \(refusal ?? "accepted")" }
            for refusal in [code { _ = try ListPage(target.query) }, code { _ = try ObserverPage(target.query) }] {
                guard refusal == nil || refusal == "parameter-invalid" else { return "\(query): \(refusal ?? "")" }
            }
            return nil
        }
    }
}
