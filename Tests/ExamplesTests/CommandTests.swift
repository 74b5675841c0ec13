import Foundation
import Testing

@Suite struct CommandTests {
    @Test func `a program that does not end by itself is ended at the deadline`() async throws {
        let outcome = try await Command(executable: URL(filePath: "/bin/sleep"), arguments: ["1000"])
            .run(deadline: .milliseconds(10))
        #expect(outcome.status == nil)
    }

    @Test func `the outcome is the status and the output`() async throws {
        let outcome = try await Command(executable: URL(filePath: "/bin/sh"), arguments: ["-c", "echo hello; exit 3"])
            .run()
        #expect(outcome.status == 3)
        #expect(outcome.output == "hello\n")
    }
}
