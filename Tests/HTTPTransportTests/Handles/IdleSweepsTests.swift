import Testing

@testable import HTTPTransport

/// When idle connections are looked at, in milliseconds.
@Suite struct IdleSweepsTests {
    private let schedule = Schedule()

    private final class Schedule {
        var value = IdleSweeps()

        func take(at now: Int, isDisturbed: Bool = false) -> Bool { value.take(at: now, isDisturbed: isDisturbed) }
    }

    @Test func `an idle connection is looked at when it is too old to be used again, and then no more`() {
        #expect(schedule.value.next == nil)
        schedule.value.noteService(at: 5)
        #expect(!schedule.take(at: 120_004))
        #expect(schedule.take(at: 120_005))
        #expect(schedule.value.next == nil)
    }

    @Test func `one that served later is looked at later`() {
        schedule.value.noteService(at: 0)
        schedule.value.noteService(at: 100_000)
        #expect(schedule.take(at: 120_000))
        #expect(schedule.value.next == 220_000)
    }

    @Test func `an end is looked at a second later, and again as long as it is not taken for one`() {
        schedule.value.noteService(at: 0)
        schedule.value.noteDisturbance(at: 10)
        schedule.value.noteDisturbance(at: 500)
        #expect(schedule.take(at: 1_010, isDisturbed: true))
        #expect(schedule.take(at: 31_010))
        #expect(schedule.value.next == 120_000, "others may be idle until then")
    }
}
