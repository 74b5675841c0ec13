import Testing

@testable import ClusterLog

@Suite struct RoomTests {
    private var room = Room()

    @Test mutating func `a bound that is not known refuses nothing`() {
        room.share(among: 3)
        room.look(limit: nil, bytes: .max, last: 1)
        #expect(room.admits(1 << 40, beside: .max / 2) == .yes)
    }

    @Test(arguments: [1, 3, 64])
    mutating func `what all nodes may have on their way is no more than there is room for`(nodes: Int) {
        for left in [100_000, 1_000_000, 100_000_000] as [Int64] {
            room.share(among: nodes)
            room.look(limit: 1_000_000_000, bytes: UInt64(1_000_000_000 - left), last: 1)
            for size in [10, 1_000, 200_000] {
                var waiting = 0
                while waiting < 1_000_000_000, room.admits(size, beside: waiting) == .yes { waiting += size }
                #expect(Int64(waiting * nodes) <= left, "\(nodes) nodes, messages of \(size)")
            }
        }
    }

    @Test mutating func `one message is sent if all nodes may send two, and refused if not`() {
        room.share(among: 3)
        room.look(limit: 1_000_000, bytes: 400_000, last: 1)
        #expect(room.admits(99_000, beside: 0) == .yes)
        #expect(room.admits(99_000, beside: 1_000) == .later, "when the other is stored")
        #expect(room.admits(100_000, beside: 0) == .no)
    }

    @Test mutating func `a node that comes has its share at once, and so have those that stay`() {
        room.look(limit: 1_000_000, bytes: 0, last: 1)
        #expect(room.admits(400_000, beside: 0) == .yes)
        room.share(among: 3)
        #expect(room.admits(400_000, beside: 0) == .no)
        room.look(limit: 1_000_000, bytes: 0, last: 1)
        #expect(room.admits(160_000, beside: 0) == .yes && room.admits(170_000, beside: 0) == .no)
        room.share(among: 1)
        #expect(room.admits(400_000, beside: 0) == .yes)
    }

    /// Messages come back one after the other, to each node in its time.
    @Test(arguments: [1, 2, 3, 64])
    mutating func `the bound is kept though each of the others has stored one unheard and sent one more`(nodes: Int) {
        for size in [10, 1_000, 200_000] {
            let taken = Int64(size + Room.overhead)
            for left in stride(from: 0, through: 10 * Int64(nodes) * taken, by: Int64.Stride(max(taken / 7, 1))) {
                room.share(among: nodes)
                room.look(limit: 1_000_000_000, bytes: UInt64(1_000_000_000 - left), last: 1)
                guard room.admits(size, beside: 0) == .yes else { continue }
                #expect(left >= Int64(2 * (nodes - 1) + 1) * taken, "\(nodes) nodes, messages of \(size)")
            }
        }
    }

    @Test mutating func `what is stored meanwhile counts, once`() {
        room.look(limit: 1_000_000, bytes: 400_000, last: 10)
        room.take(500_000, at: 10)
        #expect(room.admits(290_000, beside: 0) == .yes, "it was counted before")
        room.take(500_000, at: 11)
        #expect(room.admits(290_000, beside: 0) == .no)
        room.begin()
        room.take(100_000, at: 12)
        room.take(100_000, at: 13)
        room.look(limit: 1_000_000, bytes: 400_000, last: 12)
        #expect(room.admits(255_000, beside: 0) == .no, "it was taken before the servers' answer, and is not in it")
        #expect(room.admits(245_000, beside: 0) == .yes)
        room.look(limit: 1_000_000, bytes: 1_200_000, last: 11)
        #expect(room.admits(1, beside: 0) == .no)
    }
}
