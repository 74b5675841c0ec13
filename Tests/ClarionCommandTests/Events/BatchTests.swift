import Randomness
import Testing

@testable import ClarionCommand

@Suite struct BatchTests {
    @Test func `however it is halved, everything is posted once and in order`() {
        let fault = firstFault(cases: 2_000) { random in
            var batch = Batch<Int>()
            let count = random.number(0...50)
            for number in 0..<count { batch.append(number, bytes: 1) }
            var (parts, posted) = (batch.take(), [Int]())
            while let part = parts.next() {
                if part.isEmpty { return "an empty part" }
                if part.count > 1, random.chance(2) { parts.halve(part) } else { posted += part }
            }
            return posted == Array(0..<count) && batch.last == nil ? nil : "\(count) are \(posted)"
        }
        #expect(fault == nil)
    }

    @Test func `it has few enough elements and bytes, but takes one of any size`() {
        var batch = Batch<Int>()
        #expect(batch.hasRoom(for: .max))
        batch.append(0, bytes: 256 * 1024)
        #expect(!batch.hasRoom(for: 1))
        _ = batch.take()
        for number in 0..<1000 { batch.append(number, bytes: 0) }
        #expect(!batch.hasRoom(for: 0))
    }
}
