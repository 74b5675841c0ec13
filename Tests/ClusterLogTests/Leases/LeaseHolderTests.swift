import Randomness
import Testing

@testable import ClusterLog

@Suite struct LeaseHolderTests {
    @Test func `whatever happens no two deliver the same, and in the end all do as much`() {
        let fault = firstFault(cases: 30) { random in
            var play = LeasePlay(SeededGenerator(seed: random.next()))
            return play.run()
        }
        #expect(fault == nil)
    }

    private static let start = ContinuousClock.now
    private static func at(_ time: Int) -> ContinuousClock.Instant { start.advanced(by: .milliseconds(time)) }
    private let one = NodeID(bits: 1)
    private let other = NodeID(bits: 2)

    /// One that was alone and has got everything, and has not taken it up.
    private func beginner() throws -> LeaseHolder {
        var holder = LeaseHolder(one)
        let ask = try #require(holder.turn(at: Self.at(0)).ask)
        let counts = holder.take(ask.leases, after: ask.after, sequence: 1, at: Self.at(1))
        #expect(counts)
        holder.answer(true)
        return holder
    }

    /// One that was alone and had everything at the beginning.
    private func holder() throws -> LeaseHolder {
        var holder = try beginner()
        let takeUp = try #require(holder.turn(at: Self.at(2)).takeUp)
        #expect(takeUp.parts == .all && takeUp.leases == 1 && holder.duty.isEmpty, "not before all count its outcomes")
        holder.take(takenUp: .all, term: 2)
        holder.answerTakingUp(true, at: Self.at(2))
        let turn = holder.turn(at: Self.at(3))
        #expect(turn.isNews && holder.duty == .all)
        return holder
    }

    @Test func `what could not be taken up is tried again after a second, not at once`() throws {
        var holder = try beginner()
        _ = try #require(holder.turn(at: Self.at(2)).takeUp)
        holder.answerTakingUp(false, at: Self.at(3))
        let tries = [3, 1_002, 1_003].map { holder.turn(at: Self.at($0)).takeUp?.parts }
        #expect(tries == [nil, nil, .all])
    }

    @Test func `delivers for five seconds from when it asked, and says so afterwards`() throws {
        var holder = try holder()
        let answers = [4_999, 5_000].map { holder.isValid(at: Self.at($0)) }
        #expect(answers == [true, false])
        let early = holder.turn(at: Self.at(4_999))
        #expect(early.isNews, "whoever was refused is to be told, also if all is well again")
        let turn = holder.turn(at: Self.at(5_000))
        #expect(turn.isNews && !turn.hasTime && holder.duty.isEmpty)
    }

    @Test func `one message every two seconds for all it has`() throws {
        var (holder, sequence, asks) = (try holder(), UInt64(1), 0)
        for milliseconds in stride(from: 10, through: 60_000, by: 50) {
            let turn = holder.turn(at: Self.at(milliseconds))
            #expect(turn.takeUp == nil && turn.giveBack.isEmpty)
            guard let ask = turn.ask else { continue }
            asks += 1
            sequence += 1
            let counts = holder.take(ask.leases, after: ask.after, sequence: sequence, at: Self.at(milliseconds + 5))
            #expect(counts)
            holder.answer(true)
            let isValid = holder.isValid(at: Self.at(milliseconds + 40))
            #expect(isValid)
        }
        #expect((28...30).contains(asks))
    }

    @Test func `takes the parts of one that is not heard of for seven seconds, and not before`() throws {
        var (holder, sequence, taken) = (try holder(), UInt64(1), Int?.none)
        var leases = holder.leases
        leases.renew(other)
        leases.take(Parts.all.prefix(32), from: one)
        leases.settle()
        let counts = holder.take(leases, after: 1, sequence: 2, at: Self.at(100))
        #expect(counts)
        sequence = 2
        for milliseconds in stride(from: 110, through: 9_000, by: 50) where taken == nil {
            guard let ask = holder.turn(at: Self.at(milliseconds)).ask else { continue }
            #expect(ask.after == sequence)
            if ask.leases[other] == nil { taken = milliseconds }
            sequence += 1
            let counts = holder.take(ask.leases, after: ask.after, sequence: sequence, at: Self.at(milliseconds + 5))
            #expect(counts)
            holder.answer(true)
        }
        #expect(try (7_101...7_200).contains(#require(taken)))
        #expect(holder.leases[one]?.parts == .all)
    }

    @Test func `of two that follow the same the second does not count, and what follows places it never saw does`() {
        var (holder, leases) = (LeaseHolder(one), Leases())
        leases.renew(other)
        let counted = [
            // The first that is still there.
            holder.take(leases, after: 0, sequence: 10, at: Self.at(0)),
            holder.take(leases, after: 10, sequence: 20, at: Self.at(1)),
            holder.take(Leases(), after: 10, sequence: 21, at: Self.at(2)),
        ]
        #expect(counted == [true, true, false])
        #expect(holder.leases == leases && holder.sequence == 20)
        // 30 is removed: who wrote 40 had seen it count.
        let counts = holder.take(Leases(), after: 30, sequence: 40, at: Self.at(3))
        #expect(counts && holder.leases == Leases() && holder.sequence == 40)
    }
}
