import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

@testable import Broadcasting

/// Promise 2, memory: each test in a process of its own, so that what other tests use meanwhile is not counted.
@Suite struct ObserverTableGrowthTests {
    @Test(.disabled(if: sanitizerKeepsMemory)) func `a million observers that come and go leave no growth`() async {
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

    @Test(.disabled(if: sanitizerKeepsMemory)) func `registering one living observer again and again leaves no growth`()
        async
    {
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

    @Test(.disabled(if: sanitizerKeepsMemory))
    func `of many that came and went, nothing stays for the one that is left`() async {
        await #expect(processExitsWith: .success) {
            let delegates = MulticastDelegate<Recorder<Int>>()
            let steady = Recorder<Int>()
            delegates.add(steady, deliver: .immediate)
            var crowd = [Recorder<Int>]()
            func fill(_ count: Int) {
                for _ in 0..<count {
                    let delegate = Recorder<Int>()
                    crowd.append(delegate)
                    delegates.add(delegate, deliver: .immediate)
                }
            }
            fill(1_000)
            crowd = []
            delegates.invoke { $0.hear(1) }
            let before = residentBytes()
            fill(200_000)
            crowd = []
            delegates.invoke { $0.hear(2) }
            let growth = residentBytes() - before
            #expect(delegates.table.registrationCount == 1)
            // 16 MB were kept by a dictionary that did not shrink.
            #expect(growth < 8 << 20, "grew by \(growth >> 10) KB")
            withExtendedLifetime(steady) {}
        }
    }

    @Test func `deaths that nobody announced and no post meets are found by registrations`() {
        let table = ObserverTable<Int, Int>()
        var crowd = (0..<20_000).map { _ in Recorder<Int>() }
        for (number, owner) in crowd.enumerated() {
            table.register(number % 100, owner: owner) { $0.hear($1) }
        }
        crowd = []
        #expect(table.registrationCount == 20_000)
        let others = (0..<1_000).map { _ in Recorder<Int>() }
        for other in others { table.register(-1, owner: other) { $0.hear($1) } }
        #expect(table.registrationCount < 2 * others.count)
        withExtendedLifetime(others) {}
    }

    @Test func `handlers on actors that are gone are found by registrations`() {
        actor Place {}
        let table = ObserverTable<Int, Int>()
        var places = (0..<20_000).map { _ in Place() }
        for (number, place) in places.enumerated() { table.register(number % 100, deliver: .actor(place)) { _ in } }
        let last = places.last
        places = []
        let others = (0..<1_000).map { _ in Recorder<Int>() }
        for other in others { table.register(-1, owner: other) { $0.hear($1) } }
        #expect(table.registrationCount < 2 * others.count)
        #expect(table.count(of: 99) == 1, "of the actor that lives")
        withExtendedLifetime((others, last)) {}
    }

    @Test(.disabled(if: sanitizerKeepsMemory))
    func `the memory of large observers that died is free after a few registrations`() async {
        await #expect(processExitsWith: .success) {
            let table = ObserverTable<Int, Int>()
            let before = residentBytes()
            var crowd = (0..<32).map { _ in Large() }
            for owner in crowd { table.register(1, owner: owner) { _, _ in } }
            #expect(residentBytes() - before > 7 << 20)
            crowd = []
            let other = Recorder<Int>()
            for _ in 0..<4 { table.register(2, owner: other, replacing: .sameOwner) { $0.hear($1) } }
            #expect(table.registrationCount == 1)
            let growth = residentBytes() - before
            #expect(growth < 2 << 20, "grew by \(growth >> 10) KB")
            withExtendedLifetime(other) {}
        }
    }
}

/// An observer of 256 KiB, which lie in the object itself.
private final class Large: Sendable {
    let content = InlineArray<262_144, UInt8>(repeating: 1)
}

/// The process's resident memory without what the allocator keeps for later; 0 where `/proc` does not exist, so that growth
/// is 0 there.
private func residentBytes() -> Int {
    #if canImport(Glibc)
        typealias Trim = @convention(c) (Int) -> Int32
        if let trim = unsafe dlsym(nil, "malloc_trim") { _ = unsafe unsafeBitCast(trim, to: Trim.self)(0) }
    #endif
    guard let statm = try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii) else { return 0 }
    return (Int(statm.split(separator: " ")[1]) ?? 0) * Int(getpagesize())
}
