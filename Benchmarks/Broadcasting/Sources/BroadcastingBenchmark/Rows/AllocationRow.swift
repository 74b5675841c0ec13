import AllocationCount
import Foundation

/// Blocks of memory that one post on the poster's thread asks for.
struct AllocationRow {
    static let name = "allocations, immediate"

    func measure() -> [Finding] {
        guard allocation_count() >= 0 else { return [] }
        return allDesigns.map { design in
            let one = allocations(design, observers: 1)
            let many = allocations(design, observers: 1_001)
            let perObserver = Double(many - one) / 1_000
            var finding = Finding(row: Self.name, name: design.name)
            finding.remark = "\(perObserver.formatted()) for each observer, \(one.formatted()) for each post"
            if design is any WeakDesign.Type {
                finding.goals = [Goal(demand: "none for an observer", isMet: many <= one)]
            }
            return finding
        }
    }

    private func allocations(_ type: any Design.Type, observers count: Int) -> Int64 {
        let (design, observers) = type.populated(count) as (any Design, [Counter])
        // What is made once, such as metadata, is made here.
        design.notify(times: 2)
        let before = allocation_count()
        design.notify(times: 1)
        let allocations = allocation_count() - before
        precondition(observers.allSatisfy { $0.total == 3 })
        return allocations
    }
}
