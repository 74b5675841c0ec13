/// A small generator with a seed, so that a failure can be repeated (SplitMix64).
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A name of one to four segments from a small alphabet, so that names and patterns often meet.
    mutating func name(wildcards: Bool) -> String {
        let count = Int.random(in: 1...4, using: &self)
        let segments = (0..<count).map { place -> String in
            if wildcards, Int.random(in: 0..<3, using: &self) == 0 {
                return place == count - 1 && Bool.random(using: &self) ? "**" : "*"
            }
            return ["a", "b", "cc", "é", "https://x"].randomElement(using: &self) ?? "a"
        }
        return segments.joined(separator: ".")
    }
}

/// Matching as one would first write it.
func naiveMatch(_ pattern: String, _ name: String) -> Bool {
    func match(_ pattern: ArraySlice<Substring>, _ name: ArraySlice<Substring>) -> Bool {
        guard let wanted = pattern.first else { return name.isEmpty }
        guard let segment = name.first else { return false }
        if wanted == "**" { return true }
        return (wanted == "*" || wanted == segment) && match(pattern.dropFirst(), name.dropFirst())
    }
    func segments(_ text: String) -> ArraySlice<Substring> {
        text.split(separator: ".", omittingEmptySubsequences: false)[...]
    }
    return match(segments(pattern), segments(name))
}
