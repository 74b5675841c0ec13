import Randomness
import Testing

@testable import Webhooks

@Suite("LaneLine")
struct LaneLineTests {
    @Test("keeps the order in which lanes came, whichever leave")
    func order() {
        search(cases: 5_000) { random in
            var (line, expected) = (LaneLine(), [Int]())
            for _ in 0..<random.number(1...60) {
                let lane = random.number(0...9)
                if random.chance(3) {
                    line.remove(lane)
                    expected.removeAll { $0 == lane }
                } else if !expected.contains(lane) {
                    line.append(lane)
                    expected.append(lane)
                }
                guard line.count == expected.count, line.first == expected.first, line.isEmpty == expected.isEmpty
                else { return "\(line) is not \(expected)" }
            }
            var left: [Int] = []
            while let first = line.first {
                left.append(first)
                line.remove(first)
            }
            return left == expected && line.isEmpty ? nil : "\(left) is not \(expected)"
        }
    }
}
