import EventLog
import MicroHTTP
import Webhooks
import Testing

@testable import Clarion

@Suite struct RetiredNamesTests {
    private let now = ContinuousClock.now
    private let day = Duration.seconds(24 * 60 * 60)

    private func key(_ name: String, of owner: String? = nil) throws -> RetiredNames.Key {
        RetiredNames.Key(name: try ObserverID(name), owner: owner)
    }

    @Test func aNameIsOutOfUseForWhoHadIt() throws {
        var names = RetiredNames()
        names.insert(try key("a", of: "one"), now: now)
        #expect(names.contains(try key("a", of: "one"), now: now))
        #expect(!names.contains(try key("a", of: "another"), now: now))
        #expect(!names.contains(try key("a"), now: now))
    }

    @Test func aNameIsRememberedForADay() throws {
        var names = RetiredNames()
        let name = try key("a")
        names.insert(name, now: now)
        #expect(names.contains(name, now: now + day - .milliseconds(1)))
        #expect(!names.contains(name, now: now + day))
        // Retired again, for a day from then.
        names.insert(name, now: now + .milliseconds(1))
        #expect(names.contains(name, now: now + day))
    }

    @Test func theOldestAreForgottenBeyondTheBound() throws {
        var names = RetiredNames(maximum: 3)
        for text in ["a", "b", "a", "c", "d"] { names.insert(try key(text), now: now) }
        // The same name twice is one, and where it was first does not keep the others from going.
        #expect(names.count == 3)
        #expect(names.contains(try key("d"), now: now))
        #expect(names.contains(try key("c"), now: now))
    }

    @Test func aHundredThousandAtOnceTakeNoSearch() throws {
        var names = RetiredNames()
        let began = ContinuousClock.now
        for number in 0..<100_000 { names.insert(try key("n\(number)"), now: now) }
        #expect(names.count == 65_536)
        #expect(!names.contains(try key("n0"), now: now))
        #expect(names.contains(try key("n99999"), now: now))
        // A search for each would be 2,000 million steps.
        #expect(ContinuousClock.now - began < .seconds(20))
    }

    @Test func whatHasPassedIsForgotten() throws {
        var names = RetiredNames()
        for number in 0..<1_000 {
            names.insert(try key("n\(number)"), now: now + day * number / 10)
        }
        #expect(names.count == 10)
    }
}
