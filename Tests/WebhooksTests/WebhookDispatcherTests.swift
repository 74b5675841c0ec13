import Synchronization
import Testing

@testable import Webhooks

@Suite("WebhookDispatcher")
struct WebhookDispatcherTests {
    @Test("delivers what was pending at registration and what is posted after it, signed, with all headers")
    func delivers() async throws {
        let receiver = try Receiver()
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            let first = fixture.store.add(to: "a", type: "created", contentType: "application/json", traceparent: trace)
            let headers = [try CustomHeader(name: "Authorization", value: "Bearer x")]
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, headers: headers))
            try await eventually("the first is delivered") { fixture.store.row(first)?.state == .delivered }
            let second = fixture.store.add(to: "a", contentType: nil)
            fixture.dispatcher.wake("a")
            try await eventually("the second is delivered") { fixture.store.row(second)?.state == .delivered }

            let request = try #require(receiver.requests.first)
            #expect(request.method == "POST")
            #expect(request.path == "/hook")
            #expect(request.body == Array("hello".utf8))
            #expect(request.header("webhook-id") == "event-1")
            #expect(request.header("content-type") == "application/json")
            #expect(request.header("clarion-topic") == "greetings")
            #expect(request.header("event-type") == "created")
            #expect(request.header("clarion-attempt") == "1")
            #expect(request.header("user-agent") == "clarion/test")
            #expect(request.header("traceparent") == trace)
            #expect(request.header("authorization") == "Bearer x")
            #expect(request.header("expect") == nil)
            let timestamp = try #require(request.header("webhook-timestamp").flatMap(Int64.init))
            #expect(abs(timestamp * 1000 - WallClock.system.now()) < 60_000)
            let expected = WebhookSignature.header(
                id: "event-1",
                timestamp: timestamp,
                body: request.body,
                secrets: [try SigningSecret(DispatcherFixture.secret)]
            )
            #expect(request.header("webhook-signature") == expected)
            #expect(receiver.requests.last?.header("content-type") == nil)
            #expect(receiver.requests.last?.header("event-type") == nil)
        }
    }
}
