import Testing

@testable import ClusterLog

@Suite struct ReserveTests {
    @Test(arguments: [
        Reserve.Message.filler(bytes: 64), .givenUp(bytes: 1 << 20, full: 1 << 40), .filled(from: 7, through: 9),
    ])
    func `what is written is read`(message: Reserve.Message) {
        #expect(Reserve.Message(message.bytes) == message)
    }

    @Test func `what is none is none`() {
        let whole = Reserve.Message.givenUp(bytes: 1, full: 2).bytes
        for bytes in [[], Array("hello".utf8), [0xC1, 0xA7, 1, 0], [0xC1, 0xA8, 9], Array(whole.dropLast())] {
            #expect(Reserve.Message(bytes) == nil)
        }
    }

    @Test func `more than servers have is none`() {
        for (given, full) in [(UInt64.max, 0), (0, .max), (1 << 60 + 1, 1)] as [(UInt64, UInt64)] {
            #expect(Reserve.Message(Reserve.Message.givenUp(bytes: given, full: full).bytes) == nil)
        }
        var reserve = Reserve()
        reserve.take(.givenUp(bytes: 1 << 60, full: 1 << 60), at: 1)
        reserve.take(.filler(bytes: 100), at: 2)
        #expect(!reserve.hasRoom(at: .min) && reserve.isScarce(at: .max))
    }

    @Test func `it is given up, and is there again`() {
        var reserve = Reserve()
        #expect(reserve.standing == .none && !reserve.isGivenUp && !reserve.isScarce(at: .max))
        for sequence in 1...4 { reserve.take(.filler(bytes: 100), at: UInt64(sequence)) }
        // The two last were written to see whether there is room.
        reserve.take(.filled(from: 1, through: 2), at: 5)
        #expect(reserve.standing == .filled && reserve.fillers.keys.sorted() == [1, 2])
        reserve.take(.givenUp(bytes: 200, full: 10_000), at: 6)
        reserve.forget([1, 2])
        #expect(reserve.isGivenUp && reserve.fillers.isEmpty)
        reserve.take(.filler(bytes: 100), at: 7)
        #expect(reserve.isGivenUp)
        reserve.take(.filled(from: 7, through: 7), at: 8)
        #expect(!reserve.isGivenUp && reserve.hasRoom(at: .max))
    }

    @Test func `what is left of it is told by the bytes of the stream`() {
        var reserve = Reserve()
        reserve.take(.givenUp(bytes: 200, full: 10_000), at: 1)
        #expect(!reserve.isScarce(at: 9_800) && !reserve.isScarce(at: 9_900))
        #expect(reserve.isScarce(at: 9_901) && reserve.isScarce(at: 20_000))
        reserve.take(.filler(bytes: 50), at: 2)
        #expect(!reserve.isScarce(at: 9_950) && reserve.isScarce(at: 9_951))
        reserve.forget([2])
        #expect(!reserve.hasRoom(at: 9_800) && reserve.hasRoom(at: 9_600) && reserve.hasRoom(at: 0))
    }

    @Test func `it is a share of a small limit, and of messages that servers take`() {
        #expect(Reserve.plan(limit: nil, most: 8 << 20) == (16, 64 << 10))
        #expect(Reserve.plan(limit: 1 << 40, most: 8 << 20) == (16, 64 << 10))
        #expect(Reserve.plan(limit: 1_000_000, most: 8 << 20) == (1, 62_500))
        #expect(Reserve.plan(limit: 1 << 40, most: 8 << 20, isReplicated: true) == (64, 256 << 10))
        #expect(Reserve.plan(limit: 60_000_000, most: 8 << 20, isReplicated: true) == (57, 65_536))
        #expect(Reserve.plan(limit: nil, most: 8 << 20, isReplicated: true) == (16, 64 << 10))
        #expect(Reserve.plan(limit: nil, most: 1_024) == (64, 1_024))
        #expect(Reserve.plan(limit: 1, most: 0) == (1, 1))
    }
}
