import EventLog
import Testing

@testable import ClusterLog

/// What servers answer, as nats-server writes it.
@Suite struct StreamAnswerTests {
    @Test(arguments: [
        (10_002, "storage-full"), (10_023, "storage-full"), (10_047, "storage-full"), (10_077, "storage-full"),
        (10_122, "storage-full"), (10_054, "limit-reached"), (10_071, "value-changed"), (10_008, "log-unavailable"),
    ])
    func `a refusal is told by its code`(number: Int, code: String) {
        let fault = #"{"code":400,"err_code":\#(number),"description":"why"}"#
        let answer = Array(#"{"error":\#(fault),"stream":"S","seq":0}"#.utf8)
        #expect(answer.saysError)
        #expect(Publisher.refusal(answer).code.rawValue == code)
    }

    @Test func `a domain may be called error`() {
        #expect(!Array(#"{"stream":"S", "domain":"error", "seq":7}"#.utf8).saysError)
    }

    @Test(arguments: [
        (#""max_age":0,"max_msgs":-1,"max_bytes":-1,"max_msgs_per_subject":-1,"discard":"new""#, nil),
        (#""max_msgs":5,"max_bytes":5,"discard":"new","retention":"limits""#, nil),
        (#""max_msgs":-1,"max_bytes":-1,"discard":"old""#, nil),
        (#""max_age":1,"discard":"new""#, "max_age"),
        (#""max_msgs":5,"discard":"old""#, "max_msgs with discard: old"),
        (#""max_bytes":5,"discard":"old""#, "max_bytes with discard: old"),
        (#""max_msgs_per_subject":1,"discard":"new""#, "max_msgs_per_subject"),
        (#""retention":"workqueue","max_age":9"#, "max_age, retention: workqueue"),
    ])
    func `settings by which servers remove messages are named`(settings: String, words: String?) throws {
        let answer = try StreamAPI.answer(Array(#"{"config":{\#(settings)}}"#.utf8))
        #expect(answer.config?.lossySettings == words)
    }

    @Test(arguments: [
        (10_057, "no message found", true), (10_043, "message 7 not found", true),
        (10_057, "message delete not permitted", false), (10_008, "JetStream system temporarily unavailable", false),
    ])
    func `what servers do not permit is not what is not there`(code: Int, words: String, isNoSuchMessage: Bool) throws {
        let answer = try StreamAPI.answer(Array(#"{"error":{"err_code":\#(code),"description":"\#(words)"}}"#.utf8))
        #expect(answer.error?.isNoSuchMessage == isNoSuchMessage)
    }
}
