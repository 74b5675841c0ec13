import Testing

@testable import EventLog

@Suite struct GroupCommitTests {
    private static func machine(events: Int = 4, bytes: Int = 100, queued: Int = 1_000) -> GroupCommit<Int> {
        var limits = SQLiteEventLog.Limits()
        (limits.groupEvents, limits.groupBytes, limits.queuedBytes) = (events, bytes, queued)
        return GroupCommit(limits: limits)
    }

    private func group(_ machine: inout GroupCommit<Int>) -> [Int]? {
        if case .commit(let group) = machine.next() { group } else { nil }
    }

    /// Whether nothing is to be written now, so that the writer rests.
    private func rest(_ machine: inout GroupCommit<Int>, hasLowPriority: Bool = false) -> Bool {
        guard case .idle(hasLowPriority) = machine.next() else { return false }
        return machine.rest(hasLowPriority: hasLowPriority)
    }

    private func enqueue(
        _ machine: inout GroupCommit<Int>,
        _ request: Int,
        events: Int,
        bytes: Int,
        isBounded: Bool
    ) -> GroupCommit<Int>.Admission {
        machine.enqueue(request, events: events, bytes: bytes, isBounded: isBounded)
    }

    // A macro's argument cannot change what it is given.
    private func lend(_ machine: inout GroupCommit<Int>) -> Bool { machine.lend() }
    private func nextForGuest(_ machine: inout GroupCommit<Int>) -> [Int]? { machine.nextForGuest() }
    private func giveBack(_ machine: inout GroupCommit<Int>, mustClearUp: Bool) -> Bool {
        machine.giveBack(mustClearUp: mustClearUp)
    }
    private func close(_ machine: inout GroupCommit<Int>) -> Bool? { machine.close {} }

    @Test func `wakes the writer once, and only if it sleeps`() {
        var machine = Self.machine()
        #expect(enqueue(&machine, 1, events: 1, bytes: 1, isBounded: true) == .queued(wakingWriter: false))
        #expect(group(&machine) == [1])
        #expect(rest(&machine))
        #expect(enqueue(&machine, 2, events: 1, bytes: 1, isBounded: true) == .queued(wakingWriter: true))
        #expect(enqueue(&machine, 3, events: 1, bytes: 1, isBounded: true) == .queued(wakingWriter: false))
        #expect(group(&machine) == [2, 3])
    }

    @Test func `commits everything in order, in groups within the bounds`() {
        var random = SplitMix(seed: 5)
        var machine = Self.machine()
        var sizes: [(events: Int, bytes: Int)] = []
        var committed: [Int] = []
        for _ in 0..<2_000 {
            for _ in 0..<Int.random(in: 0..<9, using: &random) {
                let size = (Int.random(in: 1...5, using: &random), Int.random(in: 1...60, using: &random))
                if machine.enqueue(sizes.count, events: size.0, bytes: size.1, isBounded: false) != .closed {
                    sizes.append(size)
                }
            }
            guard let group = group(&machine) else { continue }
            committed += group
            let events = group.reduce(0) { $0 + sizes[$1].events }
            let bytes = group.reduce(0) { $0 + sizes[$1].bytes }
            #expect(group.count == 1 || (events <= 4 && bytes <= 100))
        }
        while let group = group(&machine) { committed += group }
        #expect(committed == Array(0..<sizes.count))
    }

    @Test func `refuses what goes beyond the bound, and takes it again when there is room`() {
        var machine = Self.machine(queued: 100)
        #expect(enqueue(&machine, 1, events: 1, bytes: 60, isBounded: true) != .overloaded)
        #expect(enqueue(&machine, 2, events: 1, bytes: 41, isBounded: true) == .overloaded)
        #expect(enqueue(&machine, 3, events: 1, bytes: 41, isBounded: false) != .overloaded)
        #expect(group(&machine) == [1])
        #expect(group(&machine) == [3])
        #expect(enqueue(&machine, 4, events: 1, bytes: 100, isBounded: true) != .overloaded)
    }

    @Test func `takes what is larger than the bound when nothing waits before it`() {
        var machine = Self.machine(queued: 100)
        #expect(enqueue(&machine, 1, events: 1, bytes: 101, isBounded: true) != .overloaded)
        #expect(enqueue(&machine, 2, events: 1, bytes: 1, isBounded: true) == .overloaded)
        #expect(group(&machine) == [1])
        #expect(enqueue(&machine, 3, events: 1, bytes: 1, isBounded: true) != .overloaded)
        #expect(enqueue(&machine, 4, events: 1, bytes: 101, isBounded: true) == .overloaded)
    }

    @Test func `drains before it finishes, and takes nothing meanwhile`() {
        var machine = Self.machine()
        _ = machine.enqueue(1, events: 1, bytes: 1, isBounded: true)
        #expect(close(&machine) == false)
        #expect(enqueue(&machine, 2, events: 1, bytes: 1, isBounded: true) == .closed)
        #expect(group(&machine) == [1])
        guard case .finish = machine.next() else { Issue.record("all is written"); return }
        #expect(close(&machine) == false)
        let closers = machine.finished()
        #expect(closers.count == 2)
        #expect(close(&machine) == nil)
    }

    @Test func `closing wakes a writer that sleeps`() {
        var machine = Self.machine()
        #expect(rest(&machine))
        #expect(close(&machine) == true)
    }

    @Test func `what is of low priority waits for an idle writer`() {
        var machine = Self.machine()
        #expect(machine.enqueueLowPriority(9, bytes: 1) == .queued(wakingWriter: false))
        #expect(rest(&machine, hasLowPriority: true))
        #expect(machine.enqueueLowPriority(10, bytes: 1) == .queued(wakingWriter: false))
        #expect(enqueue(&machine, 1, events: 1, bytes: 1, isBounded: true) == .queued(wakingWriter: true))
        #expect(group(&machine) == [1])
        #expect(rest(&machine, hasLowPriority: true))
        guard case .commit([9, 10]) = machine.next(isIdle: true) else { Issue.record("the writer was idle"); return }
        #expect(rest(&machine))
        #expect(machine.enqueueLowPriority(11, bytes: 1) == .queued(wakingWriter: true))
    }

    @Test func `what is of low priority lets eight groups pass, and no more`() {
        var machine = Self.machine()
        _ = machine.enqueueLowPriority(100, bytes: 1)
        for number in 0..<8 {
            _ = machine.enqueue(number, events: 1, bytes: 1, isBounded: true)
            #expect(group(&machine) == [number])
        }
        _ = machine.enqueue(8, events: 1, bytes: 1, isBounded: true)
        #expect(group(&machine) == [8, 100])
    }

    @Test func `what is of low priority is written before the end`() {
        var machine = Self.machine()
        _ = machine.enqueueLowPriority(1, bytes: 1)
        #expect(close(&machine) == false)
        #expect(machine.enqueueLowPriority(2, bytes: 1) == .closed)
        #expect(group(&machine) == [1])
        guard case .finish = machine.next() else { Issue.record("all is written"); return }
    }

    @Test func `what comes before the writer rests keeps it from that`() {
        for isLow in [false, true] {
            var machine = Self.machine()
            guard case .idle(hasLowPriority: false) = machine.next() else { Issue.record("nothing waits"); return }
            let admission =
                isLow
                ? machine.enqueueLowPriority(1, bytes: 1)
                : enqueue(&machine, 1, events: 1, bytes: 1, isBounded: true)
            #expect(admission == .queued(wakingWriter: false))
            let rests = machine.rest(hasLowPriority: false)
            #expect(!rests)
        }
    }

    @Test func `the right to commit is lent while the writer rests, and to one at a time`() {
        var machine = Self.machine()
        #expect(!lend(&machine))
        #expect(rest(&machine))
        #expect(lend(&machine))
        #expect(!lend(&machine))
        #expect(enqueue(&machine, 1, events: 1, bytes: 1, isBounded: true) == .queued(wakingWriter: false))
        #expect(nextForGuest(&machine) == [1])
        #expect(nextForGuest(&machine) == nil)
        #expect(giveBack(&machine, mustClearUp: false) == false)
        #expect(lend(&machine))
    }

    @Test func `the writer waits for a guest, is woken after it, and comes before the next`() {
        var machine = Self.machine()
        #expect(rest(&machine))
        #expect(lend(&machine))
        guard case .wait = machine.next() else { Issue.record("a guest commits"); return }
        #expect(giveBack(&machine, mustClearUp: false) == true)
        #expect(!lend(&machine))
        #expect(rest(&machine))
        #expect(lend(&machine))
    }

    @Test func `what a guest leaves is the writer's`() {
        for (isClearing, leave) in [
            (true, { (_: inout GroupCommit<Int>) in }),
            (false, { machine in _ = machine.enqueue(1, events: 1, bytes: 1, isBounded: true) }),
            (false, { machine in _ = machine.close {} }),
        ] as [(Bool, (inout GroupCommit<Int>) -> Void)] {
            var machine = Self.machine()
            #expect(rest(&machine))
            #expect(lend(&machine))
            leave(&machine)
            #expect(giveBack(&machine, mustClearUp: isClearing) == true)
            #expect(!lend(&machine))
            if isClearing { guard case .clearUp = machine.next() else { Issue.record("nothing to clear up"); return } }
        }
    }

    @Test func `a guest does not wait for a writer that was woken for low priority and has no processor yet`() {
        var machine = Self.machine()
        #expect(rest(&machine))
        #expect(machine.enqueueLowPriority(1, bytes: 1) == .queued(wakingWriter: true))
        for _ in 0..<2 {
            #expect(lend(&machine))
            #expect(enqueue(&machine, 2, events: 1, bytes: 1, isBounded: true) == .queued(wakingWriter: false))
            #expect(nextForGuest(&machine) == [2])
            #expect(giveBack(&machine, mustClearUp: false) == false)
        }
        #expect(lend(&machine))
        guard case .wait = machine.next() else { Issue.record("a guest commits"); return }
        #expect(giveBack(&machine, mustClearUp: false) == true)
        #expect(!lend(&machine))
        #expect(rest(&machine, hasLowPriority: true))
    }

    @Test func `what a writer was woken for is not a guest's`() {
        var machine = Self.machine()
        #expect(rest(&machine))
        #expect(enqueue(&machine, 1, events: 1, bytes: 1, isBounded: true) == .queued(wakingWriter: true))
        #expect(!lend(&machine))
        #expect(group(&machine) == [1])
    }
}
