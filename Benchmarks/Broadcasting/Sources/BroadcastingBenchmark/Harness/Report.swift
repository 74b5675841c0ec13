import Foundation

/// The table as Markdown.
struct Report {
    var findings: [Finding] = []

    var markdown: String {
        let head = ["row", "observers", "of", "median ns", "least ns", "× floor", "× faster than NC", "goals, remarks"]
        let rule = ["---", "---:", "---", "---:", "---:", "---:", "---:", "---"]
        return ([head, rule] + findings.map(cells)).map { "| " + $0.joined(separator: " | ") + " |" }
            .joined(separator: "\n")
    }

    func writeJSON(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(findings).write(to: URL(fileURLWithPath: path))
    }

    var areGoalsMet: Bool { findings.allSatisfy { $0.goals.allSatisfy(\.isMet) } }

    private func cells(_ finding: Finding) -> [String] {
        let goals = finding.goals.map { ($0.isMet ? "✓ " : "✗ ") + $0.demand }
        return [
            finding.row,
            finding.observers.map { $0.formatted(.number.locale(.table)) } ?? "",
            finding.name,
            figure(finding.median),
            figure(finding.least),
            figure(finding.timesFloor),
            figure(finding.timesFaster),
            (goals + [finding.remark].compactMap { $0 }).joined(separator: "; "),
        ]
    }

    private func figure(_ number: Double?) -> String {
        guard let number else { return "" }
        return number.formatted(
            .number.locale(.table).precision(number < 100 ? .significantDigits(2...3) : .fractionLength(0))
        )
    }
}

extension Locale {
    /// Tables read the same on every machine.
    static let table = Locale(identifier: "en_US_POSIX")
}
