import EventLog
import Testing

@Suite struct EventLogTests {
    /// A name of a client's own, such as it may have.
    private struct Topic {}

    @Test func `what is in the module can be named by it, though its protocol has its name`() throws {
        let topic: EventLog::Topic = try EventLog::Topic("a")
        let log: any EventLog::EventLog = try EventLog::SQLiteEventLog(at: .inMemory)
        #expect(topic.name == "a")
        #expect(log.tail == .start)
    }
}
