import Foundation
import Testing

@testable import Broadcasting

/// Promise 2, memory: each test in a process of its own, so that what other tests use meanwhile is not counted.
@Suite struct ObserverTableGrowthTests {
    @Test func `a million observers that come and go leave no growth`() async {
        await #expect(processExitsWith: .success) {
            let table = ObserverTable<String, Int>()
            func cycles(_ count: Int) {
                for number in 0..<count {
                    let observer = Recorder<Int>()
                    let registration = table.register("\(number % 100)", owner: observer) { $0.hear($1) }
                    // A third goes by its token, a third is unregistered, a third only dies.
                    if number % 3 == 0 { table.token(for: registration).cancel() }
                    if number % 3 == 1 { table.removeAll(ownedBy: observer) }
                }
            }
            cycles(20_000)
            let before = residentBytes()
            cycles(1_000_000)
            let growth = residentBytes() - before
            #expect(table.registrationCount <= 2 * SweepSchedule.minimum + 1)
            // Leaking but the entries of those that only die would be 50 MB.
            #expect(growth < 8 << 20, "grew by \(growth >> 10) KB")
        }
    }

    @Test func `registering one living observer again and again leaves no growth`() async {
        await #expect(processExitsWith: .success) {
            final class Observer: Sendable, LifetimeOwner {
                let lifetime = Lifetime()
            }
            let observer = Observer()
            let table = ObserverTable<String, Int>()
            func cycles(_ count: Int) {
                for number in 0..<count {
                    table.remove(table.register("\(number % 7)", owner: observer, deliver: .main) { _, _ in })
                    // A table that lives shorter than its observer.
                    let other = ObserverTable<Int, Int>()
                    other.register(1, owner: observer) { _, _ in }
                }
            }
            cycles(10_000)
            let before = residentBytes()
            cycles(200_000)
            let growth = residentBytes() - before
            #expect(table.registrationCount == 0)
            #expect(growth < 8 << 20, "grew by \(growth >> 10) KB")
        }
    }
}

/// The process's resident memory; 0 where `/proc` does not exist, so that growth is 0 there.
private func residentBytes() -> Int {
    guard let statm = try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii) else { return 0 }
    return (Int(statm.split(separator: " ")[1]) ?? 0) * Int(getpagesize())
}
