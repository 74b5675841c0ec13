import Randomness
import Testing

@testable import Clarion

@Suite struct SortedChunksTests {
    @Test(arguments: 0..<30 as Range<UInt64>)
    func `it has what was put in and not taken out, in order`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var chunks = SortedChunks<Int>()
        var model: Set<Int> = []
        // Of each kind of life: mostly growing, mostly shrinking, and new ones mostly at the end.
        for step in 0..<6_000 {
            let grows = step / 1_500 % 2 == 0
            let isPut = Int.random(in: 0..<10, using: &random) < (grows ? 8 : 2)
            if isPut {
                let element = Bool.random(using: &random) ? 1_000 + step : Int.random(in: 0..<1_000, using: &random)
                if model.insert(element).inserted { chunks.insert(element) }
            } else if let element = grows ? model.randomElement(using: &random) : model.min() {
                model.remove(element)
                chunks.remove(element)
            } else {
                chunks.remove(7)
            }
        }
        let sorted = model.sorted()
        #expect(Array(chunks.elements { _ in true }) == sorted)
        for start in [0, 500, 1_000, 3_000, 5_999, 10_000] {
            #expect(Array(chunks.elements { $0 > start }) == sorted.filter { $0 > start })
        }
    }
}
