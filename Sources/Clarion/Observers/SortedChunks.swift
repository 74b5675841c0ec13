/// Elements in ascending order, each once, in short arrays: to put one in or to take one out costs a search and the moving of
/// few, however many there are, and so does a change while somebody goes through a copy.
///
/// Invariants: elements ascend within and across chunks; no chunk is empty or longer than `capacity`.
struct SortedChunks<Element: Comparable> {
    static var capacity: Int { 128 }

    private var chunks: [[Element]] = []

    mutating func insert(_ element: Element) {
        guard !chunks.isEmpty else { return chunks.append([element]) }
        // What is new is the last as a rule.
        let chunk = min(chunks.firstPlace { $0[$0.count - 1] >= element }, chunks.count - 1)
        chunks[chunk].insert(element, at: chunks[chunk].firstPlace { $0 >= element })
        guard chunks[chunk].count > Self.capacity else { return }
        let isLast = chunk == chunks.count - 1
        let upper = chunks[chunk].suffix(isLast ? 1 : Self.capacity / 2)
        chunks.insert(Array(upper), at: chunk + 1)
        chunks[chunk].removeLast(upper.count)
    }

    mutating func remove(_ element: Element) {
        let chunk = chunks.firstPlace { $0[$0.count - 1] >= element }
        guard chunk < chunks.count else { return }
        let index = chunks[chunk].firstPlace { $0 >= element }
        guard chunks[chunk][index] == element else { return }
        chunks[chunk].remove(at: index)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// The elements from the first on that is meant, given that all after it are, too.
    func elements(from isMeant: (Element) -> Bool) -> some Sequence<Element> {
        let first = chunks.firstPlace { isMeant($0[$0.count - 1]) }
        let rest = chunks[first...]
        let skipped = rest.first?.firstPlace(isMeant) ?? 0
        return rest.lazy.joined().dropFirst(skipped)
    }
}

extension Array {
    /// The first index whose element is meant, given that all after it are, too; `count` if none is.
    fileprivate func firstPlace(_ isMeant: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isMeant(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
