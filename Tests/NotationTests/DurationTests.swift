import Testing

@testable import Notation

@Suite struct DurationTests {
    @Test func `whole parts are rounded toward zero`() {
        #expect(Duration.microseconds(1_999).milliseconds == 1)
        #expect(Duration.microseconds(-1_999).milliseconds == -1)
        #expect(Duration(secondsComponent: 1, attosecondsComponent: 1_999_999_999).nanoseconds == 1_000_000_001)
        #expect(Duration.zero.milliseconds == 0)
    }

    /// A duration may be longer than 64 bits of its parts: it comes from settings and from others' fields.
    @Test func `what is beyond the numbers there are is the last of them`() {
        let longest = Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)
        let shortest = Duration(secondsComponent: .min, attosecondsComponent: -999_999_999_999_999_999)
        #expect((longest.milliseconds, longest.nanoseconds) == (.max, .max))
        #expect((shortest.milliseconds, shortest.nanoseconds) == (.min, .min))
        #expect(Duration.milliseconds(Int64.max).milliseconds == .max)
        #expect(Duration.nanoseconds(Int64.max).nanoseconds == .max)
        #expect((Duration.nanoseconds(Int64.max) + .nanoseconds(1)).nanoseconds == .max)
        #expect(Duration.nanoseconds(Int64.min).nanoseconds == .min)
    }
}
