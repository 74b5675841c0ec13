import Foundation

/// Objects register and go without a word; a post for every hundred of them.
///
/// The others have no such row: they own their observers, or leak the registration.
struct ChurnRow {
    static let name = "churn"

    /// After so many cycles memory is read first, and after ten times as many again.
    let cycles: Int

    func measure() -> [Finding] { ownDesigns.map(measure) }

    private func measure(_ type: any WeakDesign.Type) -> Finding {
        let design = type.init()
        churn(design, cycles)
        let before = residentMemory()
        let time = ContinuousClock().measure { churn(design, 9 * cycles) }
        let after = residentMemory()

        var finding = Finding(row: Self.name, name: type.name)
        finding.median = time.nanoseconds / Double(9 * cycles)
        if let before, let after {
            let growth = after - before
            finding.remark = "\(growth / 1_024) KiB more after \(10 * cycles) cycles than after \(cycles)"
            // One byte for a cycle would be a leak; the allocator's own wavering is less than a mebibyte.
            finding.goals = [Goal(demand: "no growth", isMet: growth < 1 << 20)]
        }
        return finding
    }

    private func churn(_ design: any WeakDesign, _ cycles: Int) {
        for cycle in 0..<cycles {
            design.register(Counter())
            if cycle % 100 == 99 { design.notify(times: 1) }
        }
    }
}
