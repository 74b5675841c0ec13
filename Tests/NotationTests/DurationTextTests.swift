import Randomness
import Testing

@testable import Notation

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("30s", 30_000), ("10m", 600_000), ("2h", 7_200_000), ("7d", 604_800_000), ("250ms", 250),
        ("1h30m", 5_400_000), ("1d2h3m4s5ms", 93_784_005), ("1m5ms", 60_005), ("0s", 0), ("007m", 420_000),
        ("36500d", 3_153_600_000_000),
    ])
    func `numbers with units, the larger first`(text: String, milliseconds: Int64) {
        #expect(Duration(text: text) == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        "", "5", "m", "5x", "5M", "5 m", " 5m", "5m ", "-5m", "+5m", "1.5h", "1m1h", "5m5m", "1ms1s", "5min", "P1D",
        "36501d", "36500d1ms", "9223372036854775807d", "9223372036854775808ms", "99999999999999999999ms", "５m", "5m\0",
    ])
    func `anything else is none`(text: String) {
        #expect(Duration(text: text) == nil)
    }

    @Test func `what is written is read again, in one way only`() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let longest: Int64 = [1_000, 100_000, 10_000_000, 3_153_600_000_000].randomElement(using: &random) ?? 1
            let duration = Duration.milliseconds(Int64.random(in: 0...longest, using: &random))
            #expect(Duration(text: duration.text) == duration)
        }
        #expect(Duration.milliseconds(604_800_000).text == "7d")
        #expect(Duration.milliseconds(5_400_000).text == "1h30m")
        #expect(Duration.milliseconds(1_500).text == "1s500ms")
        #expect(Duration.zero.text == "0s")
    }

    /// Whatever text comes: no trap, and what is read is what arithmetic says.
    @Test func `random texts are read as arithmetic says, or not at all`() {
        var random = SeededGenerator(seed: 2)
        let units: [(String, Int64)] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)]
        var read = 0
        for _ in 0..<20_000 {
            var text = ""
            var sum: Int64 = 0
            var last = -1
            var isOrdered = true
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let unit = Int.random(in: 0..<5, using: &random)
                let number = Int64.random(in: 0...9_999, using: &random)
                text += "\(number)\(units[unit].0)"
                sum += number * units[unit].1
                isOrdered = isOrdered && unit > last
                last = unit
            }
            let duration = Duration(text: text)
            #expect(duration == (isOrdered && sum <= 3_153_600_000_000 ? .milliseconds(sum) : nil), "\(text)")
            if duration != nil { read += 1 }
            // One character wrong: read as something or not, but never a trap.
            var bytes = Array(text.utf8)
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0x20...0x7E, using: &random)
            _ = Duration(text: String(decoding: bytes, as: UTF8.self))
        }
        #expect(read > 5_000)
    }
}
