import Testing

@testable import HTTPTransport

@Suite struct SocketRestsTests {
    @Test func restsEndInTurnAndOnce() {
        var rests = SocketRests()
        #expect(rests.next == nil)
        #expect(rests.takeEnded(at: .max) == nil)
        rests.begin(of: 7, at: 1_000)
        rests.begin(of: 8, at: 1_050)
        #expect(rests.next == 1_100)
        #expect(rests.takeEnded(at: 1_099) == nil)
        #expect(rests.takeEnded(at: 1_100) == 7)
        #expect(rests.takeEnded(at: 1_149) == nil)
        #expect(rests.next == 1_150)
        #expect(rests.takeEnded(at: 9_000) == 8)
        #expect(rests.next == nil)
    }
}
