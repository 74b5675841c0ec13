import Foundation

/// Looks for a case in which something does not hold, in many that are drawn by chance, the same ones each time.
///
/// - Parameters:
///   - cases: how many, unless `CLARION_PROPERTY_CASES` says another number.
///   - body: returns what is wrong with the case, or nil.
/// - Returns: what is wrong with the first that is found, and its seed; nil if none is.
package func firstFault(cases: UInt64, _ body: (inout SeededGenerator) -> String?) -> String? {
    let wanted = ProcessInfo.processInfo.environment["CLARION_PROPERTY_CASES"].flatMap { UInt64($0) }
    for seed in 0..<(wanted ?? cases) {
        var random = SeededGenerator(seed: seed)
        if let fault = body(&random) { return "seed \(seed): \(fault)" }
    }
    return nil
}

extension SeededGenerator {
    package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    package mutating func chance(_ oneIn: Int) -> Bool { number(1...oneIn) == 1 }

    package mutating func one<Element>(of elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }
}
