import EventLog
import Testing

@testable import ClusterLog

@Suite struct DeliveredTests {
    @Test(arguments: [
        "$JS.ACK.S.c.1.42.7.1795388307624245134.5", "$JS.ACK.hub.account.S.c.1.42.7.1795388307624245134.5.token",
    ])
    func `reads where a message is`(reply: String) throws {
        let delivered = try #require(Delivered(reply))
        #expect(delivered.sequence == 42 && delivered.number == 7)
        #expect(delivered.time.milliseconds == 1_795_388_307_624)
    }

    @Test(arguments: [
        "", "$JS.ACK", "a.b.c.d.e.f.g.h.i", "$JS.ACK.S.c.1.x.7.1.5", "$JS.ACK.S.c.1.42.7.1.5.6",
        "$JS.ACK.S.c.1.18446744073709551615.7.1.5",
    ])
    func `takes nothing else`(reply: String) {
        #expect(Delivered(reply) == nil)
    }
}
