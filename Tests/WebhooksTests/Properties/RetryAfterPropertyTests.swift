import Foundation
import Randomness
import Testing

@testable import Webhooks

/// `Retry-After` as any endpoint may write it.
@Suite("Retry-After, whatever it says")
struct RetryAfterPropertyTests {
    private static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func digits(_ number: some BinaryInteger, _ width: Int, _ pad: String = "0") -> String {
        String(repeating: pad, count: max(0, width - "\(number)".count)) + "\(number)"
    }

    /// The three forms of RFC 9110 section 5.6.7, of a moment in seconds since 1970. The last has two digits of the year, where
    /// they are enough.
    private static func forms(of moment: Int) -> [String] {
        let parts = calendar.dateComponents(in: .gmt, from: Date(timeIntervalSince1970: Double(moment)))
        let (day, month, year) = (days[parts.weekday! - 1], months[parts.month! - 1], parts.year!)
        let time = [parts.hour!, parts.minute!, parts.second!].map { digits($0, 2) }.joined(separator: ":")
        let date = digits(parts.day!, 2)
        let forms = [
            "\(day.prefix(3)), \(date) \(month) \(digits(year, 4)) \(time) GMT",
            "\(day.prefix(3)) \(month) \(digits(parts.day!, 2, " ")) \(time) \(digits(year, 4))",
        ]
        return (1971...2070).contains(year)
            ? forms + ["\(day), \(date)-\(month)-\(digits(year % 100, 2)) \(time) GMT"] : forms
    }

    private static let calendar = Calendar(identifier: .gregorian)

    @Test("each form of a date is that moment, from 1970 to 9999")
    func dates() {
        search { random in
            let moment =
                random.chance(8) ? random.one(of: [0, 1, 253_402_300_799]) : random.number(0...253_402_300_799)
            for text in Self.forms(of: moment) {
                guard RetryAfter(text) == .date(Int64(moment) * 1000) else { return "\(text) is \(RetryAfter(text)!)" }
            }
            return nil
        }
    }

    @Test("a date beyond 9999 is none, however far")
    func beyond() {
        search { random in
            let year =
                random.one(of: ["10000", "292277026596", "300000000"]) + (random.chance(2) ? "" : random.digits())
            let text = Self.forms(of: random.number(0...253_402_300_799))[0].replacing(/\b[0-9]{4}\b/, with: year)
            return RetryAfter(text).map { "\(text) is \($0)" }
        }
    }

    @Test("a number is so many seconds, and a day where it is more, also beyond all integers")
    func seconds() {
        search { random in
            let text = random.digits()
            let wanted = min(Int64(text) ?? .max, 86_400) * 1000
            return Self.putOff(text, now: 1_700_000_000_000) == max(wanted, 1) ? nil : text
        }
    }

    @Test("whatever it says, the retry is due between the schedule's delay and a day from now")
    func anything() {
        search { random in
            let now = random.one(of: [0, 1, 1_700_000_000_000, 253_402_300_799_999, Int64.max - 1])
            let form = random.one(of: Self.forms(of: random.number(0...253_402_300_799)) + [random.digits()])
            let year = random.chance(2) ? form : form.replacing(/[0-9]{4}/, with: random.digits())
            let text = random.mutated(year)
            if case .date(let date) = RetryAfter(text), !(0..<253_402_300_800_000).contains(date) {
                return "\(text) is \(date)"
            }
            let delay = Self.putOff(text, now: now)
            return (1...86_400_000).contains(delay) ? nil : "\(text): \(delay)"
        }
    }

    @Test("delays and chance at the ends of their types put a retry off, and never trap")
    func delays() {
        let durations: [Duration] = [
            .zero, .milliseconds(1), .seconds(36_500 * 86_400), .seconds(Int64.max), .seconds(Int64.min),
            .init(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999),
        ]
        search(cases: 5000) { random in
            let policy = RetryPolicy(
                schedule: [random.one(of: durations)],
                jitter: random.one(of: [0, 0.2, 1, 1e300, .infinity, .nan])
            )
            let attempts = random.one(of: [.min, -1, 0, 1])
            let spread = Double(random.number(-10...10)) / 10
            let answer = AttemptAnswer(status: 503, failure: .status, retryAfter: .seconds(.max))
            let now = random.one(of: [Int64.min, 0, 1_700_000_000_000, .max])
            let timeOfDay = random.one(of: [Int64.min, 0, 1_700_000_000_000, .max])
            let result = policy.result(of: answer, attempts: attempts, now: now, timeOfDay: timeOfDay, jitter: spread)
            guard case .retry(let due) = result else { return "no retry of \(policy)" }
            return due >= now ? nil : "\(due) is before \(now): \(policy)"
        }
    }

    /// How long after `now` a retry is due that the schedule has due after a millisecond.
    ///
    /// - Parameter now: the time of day, and the store's.
    private static func putOff(_ text: String, now: Int64) -> Int64 {
        let answer = AttemptAnswer(status: 429, failure: .status, retryAfter: RetryAfter(text))
        let policy = RetryPolicy(schedule: [.milliseconds(1)], jitter: 0)
        let result = policy.result(of: answer, attempts: 1, now: now, timeOfDay: now, jitter: 0)
        guard case .retry(let due) = result else { return -1 }
        return due - now
    }
}
