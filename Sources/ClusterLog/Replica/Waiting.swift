import EventLog
import Locking

/// Waits for asynchronous work on a thread that is the node's own, and has nothing else to do meanwhile.
enum Waiting {
    static func wait<Value: Sendable>(
        _ work: @escaping @Sendable () async throws(EventLogError) -> Value
    ) throws(EventLogError) -> Value {
        let (answer, isDone) = (Answer<Value>(), Semaphore())
        Task {
            do throws(EventLogError) {
                answer.set(.success(try await work()))
            } catch {
                answer.set(.failure(error))
            }
            isDone.signal()
        }
        while true {
            _ = isDone.wait(atMost: .seconds(60))
            if let result = answer.result { return try result.get() }
        }
    }

    private final class Answer<Value: Sendable>: Sendable {
        private let value = Lock<Result<Value, EventLogError>?>(nil)

        var result: Result<Value, EventLogError>? { value.withLock { $0 } }

        func set(_ result: Result<Value, EventLogError>) { value.withLock { $0 = result } }
    }
}
