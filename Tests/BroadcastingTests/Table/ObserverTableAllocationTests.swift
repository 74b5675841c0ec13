#if os(Linux)
    import Testing

    @testable import Broadcasting

    /// Promise 10: no allocation per observer.
    @Suite struct ObserverTableAllocationTests {
        @Test func `a notification allocates nothing, however many observers there are`() async {
            await #expect(processExitsWith: .success) {
                let table = ObserverTable<Int, [Int]>()
                let owners = (0..<10_000).map { _ in Counter() }
                table.register(1, owner: owners[0]) { $0.count(up: $1.count) }
                for owner in owners { table.register(2, owner: owner) { $0.count(up: $1.count) } }
                let value = [1, 2, 3]
                table.notify(1, value)

                precondition(AllocationCounter.allocations { unsafe kept = Counter() } == 1, "the counter counts")
                precondition(unsafe kept?.count == 0)
                precondition(AllocationCounter.allocations { table.notify(1, value) } == 0)
                precondition(AllocationCounter.allocations { table.notify(2, value) } == 0)
                precondition(owners.map(\.count) == [9] + Array(repeating: 3, count: 9_999))
            }
        }

        @Test func `a broadcaster's notification allocates its call once for all observers`() async {
            await #expect(processExitsWith: .success) {
                func allocations(notifying observers: Int) -> Int {
                    let broadcaster = Broadcaster()
                    let owners = (0..<observers).map { _ in Counter() }
                    for owner in owners {
                        broadcaster.register((any Counting).self, observer: owner, deliver: .immediate)
                    }
                    let allocations = AllocationCounter.allocations {
                        broadcaster.notify((any Counting).self) { $0.count(up: 1) }
                    }
                    precondition(owners.allSatisfy { $0.count == 1 })
                    return allocations
                }
                let one = allocations(notifying: 1)
                precondition((1...3).contains(one))
                precondition(allocations(notifying: 1_000) == one)
            }
        }
    }

    private protocol Counting: Sendable {
        func count(up number: Int)
    }

    private final class Counter: Counting, @unchecked Sendable {
        // Unchecked: used by one thread.
        private(set) var count = 0

        func count(up number: Int) { count += number }
    }

    /// What goes nowhere the optimiser puts on the stack. Unsafe: one exit test has the process to itself.
    nonisolated(unsafe) private var kept: Counter?
#endif
