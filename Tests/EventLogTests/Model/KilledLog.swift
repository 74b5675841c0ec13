import Foundation
import Testing

@testable import EventLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A process that works on a log until it kills itself, at a moment of chance.
enum KilledLog {
    private static let name = "/acknowledged"

    /// Runs the process to its end.
    static func run(in directory: String, seed: UInt64, defaults: Retention, now: Int64) async throws {
        let limits = [defaults.events, defaults.age, defaults.bytes].map { $0 ?? -1 }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [directory = directory as String, seed = seed as UInt64, limits = limits as [Int64], now = now as Int64] in
            let bounds = limits.map { $0 < 0 ? nil : $0 }
            try await KilledLog.work(
                in: directory,
                seed: seed,
                Retention(events: bounds[0], age: bounds[1], bytes: bounds[2]),
                ManualClock(Timestamp(milliseconds: now))
            )
        }
    }

    /// What the process said of each operation, in order.
    static func acknowledged(in directory: String) throws -> [String] {
        let path = directory + name
        defer { try? FileManager.default.removeItem(atPath: path) }
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        // A line that is not finished was not said.
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    private static func work(
        in directory: String,
        seed: UInt64,
        _ defaults: Retention,
        _ clock: ManualClock
    ) async throws {
        let log = try ModelRun.open(directory, .process, defaults, clock)
        _ = FileManager.default.createFile(atPath: directory + name, contents: nil)
        guard let file = FileHandle(forWritingAtPath: directory + name) else { return }
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: .random(in: 0...0.15))
            kill(getpid(), SIGKILL)
        }
        var source = SplitMix(seed: seed)
        while true {
            let outcome = try await source.operation(changesBounds: false).perform(on: log)
            try file.write(contentsOf: Data("\(outcome)\n".utf8))
        }
    }
}
