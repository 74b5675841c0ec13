import EventLog
import JSON
import Locking
import Testing

@testable import Clarion

@Suite struct ObserverDirectoryTests {
    private final class Listener: HubObserver {
        let id: ObserverID
        let kind = ObserverKind.webhook
        let topics: [TopicPattern] = []
        let createdAt = Timestamp.now()
        let token = Lock<ObserverDirectory.Listing?>(nil)

        init(_ id: ObserverID, in directory: ObserverDirectory) {
            self.id = id
            token.withLock { $0 = directory.add(self) }
        }

        func document() async throws(EventLogError) -> JSONValue { .null }
    }

    private final class Present: Sendable {
        let listener: Lock<Listener?>
        init(_ listener: Listener) { self.listener = Lock(listener) }
    }

    @Test func `an observer that is replaced all the time is always found`() async throws {
        let directory = ObserverDirectory()
        let id = try ObserverID("w")
        let present = Present(Listener(id, in: directory))
        let misses = await withTaskGroup(of: Int.self) { group in
            group.addTask {
                for _ in 0..<80_000 {
                    let next = Listener(id, in: directory)
                    // Let go outside the lock, as the registry does.
                    _ = present.listener.withLock { listener in
                        defer { listener = next }
                        return listener
                    }
                }
                return 0
            }
            group.addTask {
                var misses = 0
                for _ in 0..<400_000 where directory.find(id) == nil { misses += 1 }
                return misses
            }
            return await group.reduce(0, +)
        }
        #expect(misses == 0)
        #expect(directory.find(try ObserverID("other")) == nil)
    }
}
