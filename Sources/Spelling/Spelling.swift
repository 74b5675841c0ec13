/// Tells people who mistyped a name which one they meant.
///
/// ```swift
/// Spelling.advice(on: "topic", known: ["topics", "url"])    // Did you mean "topics"? Known ones: topics, url.
/// ```
package enum Spelling {
    /// How many letters may be wrong.
    private static let tolerance = 2

    /// The known name that was most likely meant: at most two letters other (added, left out, changed or changed places
    /// with its neighbour), and fewer in short names. Upper case, `-`, `_` and `.` make no difference.
    ///
    /// - Returns: nil if none is near; of equally near ones the first.
    package static func nearest(to name: String, among known: some Sequence<String>) -> String? {
        let letters = letters(of: name)
        var best: (name: String, distance: Int)?
        for candidate in known {
            let others = Self.letters(of: candidate)
            let limit = min(tolerance, max(letters.count, others.count) / 2)
            guard let distance = distance(letters, others, atMost: limit), distance < best?.distance ?? .max else {
                continue
            }
            best = (candidate, distance)
        }
        return best?.name
    }

    /// What follows the sentence that names the unknown one: the nearest known name, if one is near, and all of them.
    package static func advice(on name: String, known: some Sequence<String>) -> String {
        let known = known.sorted()
        guard !known.isEmpty else { return "There are none here." }
        let all = "Known ones: \(known.joined(separator: ", "))."
        return nearest(to: name, among: known).map { "Did you mean \"\($0)\"? \(all)" } ?? all
    }

    /// What of a name counts when it is compared.
    private static func letters(of name: String) -> [UInt8] {
        name.lowercased().utf8.filter { !"-_.".utf8.contains($0) }
    }

    /// The edit distance with exchanged neighbours as one step ("optimal string alignment").
    ///
    /// - Returns: nil if it is more than `limit`. Names far longer than any known one come from clients, so their length
    ///   decides first.
    private static func distance(_ one: [UInt8], _ other: [UInt8], atMost limit: Int) -> Int? {
        guard abs(one.count - other.count) <= limit else { return nil }
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for row in 0..<one.count {
            var current = [row + 1]
            for column in 0..<other.count {
                var least = min(
                    last[column + 1] + 1,
                    current[column] + 1,
                    last[column] + (one[row] == other[column] ? 0 : 1)
                )
                if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count] <= limit ? last[other.count] : nil
    }
}
