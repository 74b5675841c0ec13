import Foundation
import Testing

@testable import EventLog

/// A random sequence of operations, done to a log and to a model of it.
@Suite struct ModelTests {
    /// How many operations; `MODEL_STEPS` in the environment asks for more.
    private static let steps = ProcessInfo.processInfo.environment["MODEL_STEPS"].flatMap { Int($0) } ?? 600

    /// What the operations are drawn from; `MODEL_SEED` in the environment repeats a run.
    private static let seed =
        ProcessInfo.processInfo.environment["MODEL_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1..<1_000_000)

    @Test(arguments: [Durability.process, .memory])
    func `a log and a model of it never differ`(durability: Durability) async throws {
        print("MODEL_SEED=\(Self.seed) MODEL_STEPS=\(Self.steps) (\(durability.rawValue))")
        var run = try ModelRun(seed: Self.seed, durability: durability)
        for step in 0..<Self.steps {
            guard let fault = try await run.step() else { continue }
            Issue.record("step \(step) of MODEL_SEED=\(Self.seed): \(fault)")
            break
        }
        await run.finish()
    }

    @Test func `a log that is killed differs from a model in nothing that was acknowledged`() async throws {
        print("MODEL_SEED=\(Self.seed) (kill)")
        var run = try ModelRun(seed: Self.seed, durability: .process)
        for round in 0..<max(5, Self.steps / 100) {
            if let fault = try await run.stepWithKill() {
                Issue.record("round \(round) of MODEL_SEED=\(Self.seed): \(fault)")
                break
            }
        }
        await run.finish()
    }
}
