import Testing

@testable import Broadcasting

@Suite struct RosterTests {
    private func member(_ id: RegistrationID) -> Roster<Int>.Member {
        .init(id: id, entry: FreeEntry(position: .init(route: nil, owner: nil, slot: nil, end: EndMark())) { _ in })
    }

    private func ids(_ roster: Roster<Int>) -> [RegistrationID] {
        var ids: [RegistrationID] = []
        roster.members.forEach { ids.append($0.subject.id) }
        return ids
    }

    private func expectInvariants(_ roster: Roster<Int>) {
        let sizes = roster.chunks.map(\.count)
        #expect(sizes.allSatisfy { (1...Roster<Int>.chunkCapacity).contains($0) })
        #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 + $1 > Roster<Int>.chunkCapacity / 2 })
        #expect(sizes.reduce(0, +) == roster.count)
        #expect(roster.isEmpty == (roster.count == 0))
    }

    @Test(arguments: [1, 2, 3, 4])
    func `it agrees with a plain array under random changes`(seed: UInt64) {
        var random = SplitMix(state: seed)
        var roster = Roster<Int>(readings: Readings())
        var expected: [RegistrationID] = []
        var next: RegistrationID = 0
        for step in 0..<4_000 {
            // Grows for a while, then shrinks to nothing.
            if Int.random(in: 0..<100, using: &random) < (step < 2_000 ? 70 : 25) {
                next += RegistrationID.random(in: 1...3, using: &random)
                roster.append(member(next))
                expected.append(next)
            } else if let index = expected.indices.randomElement(using: &random) {
                let id = expected.remove(at: index)
                #expect(roster[id] != nil)
                #expect(roster.remove(id) != nil)
                #expect(roster.remove(id) == nil)
                #expect(roster[id] == nil)
            }
            if step % 50 == 0 {
                expectInvariants(roster)
                #expect(ids(roster) == expected)
            }
        }
        #expect(roster.remove(next + 1) == nil)
        for id in expected { #expect(roster.remove(id) != nil) }
        #expect(roster.isEmpty)
        #expect(roster.chunks.isEmpty)
    }

    @Test func `a copy does not see later changes, and shares the chunks that did not change`() {
        var roster = Roster<Int>(readings: Readings())
        for id in 1...1_000 { roster.append(member(RegistrationID(id))) }
        let copy = roster
        #expect(roster.remove(500) != nil)
        roster.append(member(1_001))
        #expect(ids(copy) == Array(1...1_000))
        #expect(ids(roster) == Array(1...499) + Array(501...1_001))

        #expect(chunksNotShared(copy, roster) == 2)
    }

    @Test func `a removal copies no more than one chunk, also while a copy of the roster lives`() {
        var roster = Roster<Int>(readings: Readings())
        for id in 1...15_000 { roster.append(member(RegistrationID(id))) }
        for id in stride(from: 1, through: 15_000, by: 101) {
            let copy = roster
            #expect(roster.remove(RegistrationID(id)) != nil)
            #expect(chunksNotShared(copy, roster) == 1)
        }
    }

    /// How many chunks of one roster, which has lost none, are not the very memory of the other's.
    private func chunksNotShared(_ copy: Roster<Int>, _ roster: Roster<Int>) -> Int {
        zip(copy.chunks, roster.chunks).count { before, after in
            unsafe before.withUnsafeBufferPointer { $0.baseAddress }
                != after.withUnsafeBufferPointer { $0.baseAddress }
        }
    }
}
