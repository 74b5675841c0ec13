import MicroHTTP
import Webhooks
import EventLog
import Testing

@testable import Clarion

/// Topics that begin with `clarion.`, from inside the process.
@Suite(.serialized) struct ReservedTopicTests {
    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? HubError)?.code
        }
    }

    @Test func aProgramPostsOnNoneOfTheHubsOwn() async throws {
        try await withHub { hub in
            #expect(await code { try await hub.post("forged", to: "clarion.observers") } == "topic-reserved")
            let drafts = [
                EventDraft(topic: try Topic("free"), data: []), EventDraft(topic: try Topic("clarion.x"), data: []),
            ]
            do throws(HubError) {
                _ = try await hub.post(drafts)
                Issue.record("it was posted")
            } catch {
                #expect(error.code == "topic-reserved" && error.pointer == "/1")
            }
            #expect(try await hub.stored().isEmpty)
            try await hub.post("x", to: "clarion")
        }
    }

    @Test func noneIsBoundToANotification() async throws {
        try await withHub { hub in
            #expect(await code { try hub.bind(MarketChanged.self, to: "clarion.markets") } == "topic-reserved")
        }
    }
}
