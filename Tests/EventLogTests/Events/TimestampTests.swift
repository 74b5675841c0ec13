import EventLog
import Foundation
import Testing

@Suite struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_795_216_740_123, "2026-11-20T23:19:00.123Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)]
    )
    func `writes and reads known moments`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).rfc3339 == text)
        #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test func `agrees with Foundation on random moments`() throws {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        var random = SplitMix(seed: 4)
        for _ in 0..<2_000 {
            let moment = Timestamp(milliseconds: .random(in: -2_000_000_000_000...8_000_000_000_000, using: &random))
            let date = Date(timeIntervalSince1970: (Double(moment.milliseconds) + 0.25) / 1_000)
            #expect(moment.rfc3339 == date.formatted(style))
            #expect(Timestamp(rfc3339: moment.rfc3339) == moment)
        }
    }

    @Test(arguments: [
        ("2026-11-20T23:19:00Z", "2026-11-20T23:19:00.000Z"), ("2026-11-20t23:19:00.5z", "2026-11-20T23:19:00.500Z"),
        ("2026-11-21T00:49:00.123999999+01:30", "2026-11-20T23:19:00.123Z"),
        ("2026-11-20T15:19:00-08:00", "2026-11-20T23:19:00.000Z"), ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
    ])
    func `reads every form of RFC 3339`(text: String, same: String) throws {
        #expect(try #require(Timestamp(rfc3339: text)).rfc3339 == same)
    }

    @Test(arguments: [
        "", "2026-11-20", "2026-11-20T23:19Z", "2026-11-20T23:19:00", "2026-11-20 23:19:00Z", "2026-02-29T00:00:00Z",
        "2100-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-11-20T24:00:00Z", "2026-11-20T23:60:00Z", "2026-11-20T23:19:61Z", "2026-11-20T23:19:00.Z",
        "2026-11-20T23:19:00+24:00", "2026-11-20T23:19:00+0100", "2026-11-20T23:19:00ZZ", "+026-11-20T23:19:00Z",
        "0000-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "２026-11-20T23:19:00Z",
    ])
    func `reads nothing else`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test func `stays within the years that can be written`() {
        #expect(Timestamp(milliseconds: .max) == .latest)
        #expect(Timestamp(milliseconds: .min) == .earliest)
        #expect(Timestamp.now().advanced(byMilliseconds: .max) == .latest)
        #expect(Timestamp(milliseconds: -5).advanced(byMilliseconds: .min) == .earliest)
        #expect(abs(Timestamp.now().milliseconds - Int64(Date().timeIntervalSince1970 * 1_000)) < 5_000)
    }
}
