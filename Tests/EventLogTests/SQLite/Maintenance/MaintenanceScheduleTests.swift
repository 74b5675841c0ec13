import Testing

@testable import EventLog

@Suite struct MaintenanceScheduleTests {
    private let now = Timestamp(milliseconds: 1_795_000_000_000)

    /// A schedule on which nothing is due.
    private func resting(_ retention: Retention) -> MaintenanceSchedule {
        var schedule = MaintenanceSchedule(defaults: retention)
        schedule.hasUnpurgedTopics = false
        schedule.hasUnpurgedObservers = false
        schedule.mayHaveGoneTopics = false
        schedule.mayHaveFreePages = false
        schedule.keysForgotten(at: now)
        schedule.retention.inspected(0, through: nil, sawOwnBounds: false, at: now)
        return schedule
    }

    @Test func `nothing is due on an idle log that was tidied up`() {
        var schedule = resting(Retention(events: 5))
        #expect(schedule.begin(isIdle: true, at: now) == nil)
        #expect(schedule.begin(isIdle: false, at: now) == nil)
    }

    @Test func `a busy log gets a step after some rows, which may touch more than were written`() {
        var schedule = resting(Retention(events: 5))
        schedule.committed(rows: 63)
        #expect(schedule.begin(isIdle: false, at: now) == nil)
        schedule.committed(rows: 1)
        #expect(schedule.begin(isIdle: false, at: now) == 96)
        #expect(schedule.begin(isIdle: false, at: now) == nil)
        schedule.committed(rows: 1_024)
        #expect(schedule.begin(isIdle: false, at: now) == 1_536)
    }

    @Test func `a log that keeps all its history is hardly ever held up`() {
        var schedule = resting(Retention())
        schedule.committed(rows: 4_095)
        #expect(schedule.begin(isIdle: false, at: now) == nil)
        schedule.committed(rows: 1)
        #expect(schedule.begin(isIdle: false, at: now) != nil)
        schedule.committed(rows: 1)
        #expect(schedule.begin(isIdle: true, at: now) == MaintenanceSchedule.idleStep)
        #expect(schedule.begin(isIdle: true, at: now) == nil)
    }

    @Test func `cursors are looked at again after so many events, whatever else was written`() {
        var schedule = resting(Retention())
        #expect(schedule.wantsCursors, "at first")
        schedule.cursorsMoved()
        schedule.committed(rows: 100_000)
        schedule.committed(rows: 1, events: MaintenanceSchedule.cursorStep - 1)
        #expect(!schedule.wantsCursors)
        schedule.committed(rows: 1, events: 1)
        #expect(schedule.wantsCursors)
        schedule.cursors = ["w"]
        #expect(!schedule.wantsCursors, "they are looked at")
    }

    @Test func `whatever is due gets its turn`() {
        var schedule = resting(Retention(age: 1))
        schedule.hasUnpurgedTopics = true
        schedule.hasUnpurgedObservers = true
        schedule.cursors = ["w"]
        schedule.mayHaveGoneTopics = true
        schedule.mayHaveFreePages = true
        let later = now.advanced(byMilliseconds: 3_600_000)
        let count = MaintenanceSchedule.Chore.allCases.count
        let turns = (0..<2 * count).compactMap { _ in schedule.nextChore(mayGiveBack: true, at: later) }
        #expect(Set(turns.prefix(count)) == Set(MaintenanceSchedule.Chore.allCases))
        #expect(turns.prefix(count) == turns.suffix(count))
        #expect(schedule.nextChore(mayGiveBack: true, at: now) != nil)
    }

    @Test func `free pages are given back when no post may use them`() {
        var schedule = resting(Retention())
        schedule.mayHaveFreePages = true
        #expect(schedule.nextChore(mayGiveBack: false, at: now) == nil)
        #expect(schedule.nextChore(mayGiveBack: true, at: now) == .giveBack)
        #expect(schedule.isRemovalDue(isIdle: true, at: now) && !schedule.isRemovalDue(isIdle: false, at: now))
    }
}
