import ClusterLog
import Testing

@Suite struct ClusterAddressTests {
    @Test func `says servers, name and replicas`() throws {
        let one = try ClusterAddress("nats://a:4222")
        #expect(one.servers == ["nats://a:4222"] && one.name == "clarion" && one.replicas == 1)
        let three = try ClusterAddress("nats://u:p@a:1,nats://b:2,tls://c:3?name=shop")
        #expect(three.name == "shop" && three.replicas == 3)
        #expect(three.hosts == ["a:1", "b:2", "c:3"], "what is secret is not shown")
        #expect(try ClusterAddress("nats://a,nats://b,nats://c?replicas=5&name=x").replicas == 5)
    }

    @Test(arguments: [
        ("nats://u:p%40ss%2Fw%25@a:1", "nats://u:p@ss/w%@a:1"), ("tls://%c3%a9@a", "tls://é@a"),
        ("nats://u:a:b%3f@a", "nats://u:a:b?@a"), ("nats://token@a", "nats://token@a"), ("nats://a%41", "nats://a%41"),
    ])
    func `hands over names and passwords as they are`(text: String, decoded: String) throws {
        #expect(try ClusterAddress(text).servers == [decoded])
    }

    @Test(arguments: ["nats://u:secret%@a", "nats://u:secret%zz@a", "nats://u:secret%00@a", "nats://u%3Av:secret@a"])
    func `says of names and passwords that cannot be sent what to do, and not the password`(text: String) {
        let fault = #expect(throws: ClusterAddress.Fault.self) { try ClusterAddress(text) }
        #expect(fault?.message.contains("secret") == false)
    }

    @Test(arguments: [
        "nats://u:secret/x@a:1", "nats://u:x/secret@a:1", "nats://u:secret#@a:1", "nats://u:secret?x@a:1",
        "nats://u:x?secret@a:1", "nats://u:1?secret=x@a:1",
        "nats://u:secret,x@a:1", "nats://u:1,secret@a:1", "http://u:secret@a", "u:secret@a", "nats://u:secret @a",
        "nats://u:secret@a:0",
    ])
    func `does not show a password whose characters are not encoded`(text: String) {
        let fault = #expect(throws: ClusterAddress.Fault.self) { try ClusterAddress(text) }
        #expect(fault?.message.contains("secret") == false, "\(fault?.message ?? "")")
    }

    @Test(arguments: ["nats://[::1]:4222", "nats://u:p@[::1]", "nats://a:65535", "nats://a:1", "tls://a.example"])
    func `takes hosts and ports`(text: String) throws {
        #expect(try ClusterAddress(text).servers == [text])
    }

    @Test(arguments: [
        "", "a:4222", "http://a", "nats://", "nats://a,,nats://b", "nats://a/b", "nats://a b", "nats://a?name=",
        "nats://a?name=a.b",
        "nats://a?name=é", "nats://a?replicas=2", "nats://a?replicas=x", "nats://a?other=1", "nats://a?name",
        "nats://a#x", "nats://a:", "nats://a:0", "nats://a:65536", "nats://a:+1", "nats://a:x", "nats://u:p@",
        "nats://@",
        "nats://[::1", "nats://[::1]x", "nats://[::1]:", "nats://[]", "nats://a\tb",
    ])
    func `refuses what it cannot read`(text: String) {
        #expect(throws: ClusterAddress.Fault.self) { try ClusterAddress(text) }
    }
}
