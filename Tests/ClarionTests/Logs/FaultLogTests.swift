import EventLog
import Logging
import Testing

@testable import Clarion

@Suite struct FaultLogTests {
    private let told = Recorder<String>()
    private let faults: FaultLog

    init() {
        faults = FaultLog(Logger(label: "test") { [told] _ in RecordingLogHandler(messages: told) })
    }

    @Test func `two troubles of one code that alternate are told once each`() {
        for _ in 0..<5 {
            for message in ["no leader", "no servers"] {
                faults.tell(EventLogError(code: .unavailable, message: message))
            }
            faults.tell(EventLogError(code: .diskFailed, message: "it fails"), request: "r")
        }
        #expect(told.all.count == 3)
    }

    @Test func `what nobody asked for is told once, what a request met with each`() {
        for _ in 0..<5 { faults.tell(EventLogError(code: .failed, message: "locked")) }
        #expect(told.all.count == 1)
        for _ in 0..<5 { faults.tell(EventLogError(code: .failed, message: "locked"), request: "r") }
        #expect(told.all.count == 6)
    }
}
