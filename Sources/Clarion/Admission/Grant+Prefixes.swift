import Access
import EventLog

extension Grant {
    /// What the names of all topics of a right begin with, in their order, none within another: so that a list of topics
    /// is walked only where there can be something to see.
    ///
    /// - Parameter wanted: what they are to begin with in any case.
    func prefixes(of right: Right, within wanted: String) -> [String] {
        var prefixes: [String] = []
        let candidates = patterns(right).map { String($0.text.prefix { $0 != "*" }) }
        for own in candidates.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let prefix: String
            if own.utf8.starts(with: wanted.utf8) {
                prefix = own
            } else if wanted.utf8.starts(with: own.utf8) {
                prefix = wanted
            } else {
                continue
            }
            // Sorted, so one that holds another comes before it.
            if let last = prefixes.last, prefix.utf8.starts(with: last.utf8) { continue }
            prefixes.append(prefix)
        }
        return prefixes
    }
}
