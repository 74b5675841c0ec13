/// Finds which of some words begin at each place of a text, in one pass over it (Aho and Corasick, 1975).
///
/// Whoever chooses the words and the text can make neither cost more than their bytes: a step down the tree for each byte,
/// and never more steps back than there were down. A step looks for its byte among at most 256, by halves.
struct WordSearch: Sendable {
    /// A part that words end with. Its children stand one after another, by their byte.
    private struct Node {
        /// The byte in front of what its parent stands for.
        let byte: UInt8
        var firstChild: Int32 = 0
        /// The longest other part that it begins with: what goes on if a text has no child of it.
        var fallback: Int32 = 0
        /// The length of the longest word that it begins with; 0 if there is none.
        var longest: Int32 = 0
    }

    /// A tree of the words from their ends, since it is their beginnings that are asked for: level by level, and one more
    /// that ends the children of the last.
    private var nodes: [Node] = []

    /// Words that are empty are in no text.
    init(_ words: [[UInt8]]) {
        // Words that are the same stand beside each other then, and those that share an end.
        let words = words.filter { !$0.isEmpty }.map { Array($0.reversed()) }.sorted {
            $0.lexicographicallyPrecedes($1)
        }
        guard !words.isEmpty else { return }
        nodes = [Node(byte: 0)]
        /// Of each node, the words that have it, and its length.
        var spans = [(words: words.indices, length: 0)]
        var place = 0
        while place < nodes.count {
            nodes[place].firstChild = Int32(nodes.count)
            var (rest, length) = spans[place]
            while let first = rest.first, words[first].count == length { rest.removeFirst() }
            while let first = rest.first {
                let byte = words[first][length]
                let end = rest.first { words[$0][length] != byte } ?? rest.endIndex
                let fallback = place == 0 ? 0 : next(after: Int(nodes[place].fallback), byte)
                let isWord = words[first].count == length + 1
                let longest = isWord ? Int32(length + 1) : nodes[fallback].longest
                nodes.append(Node(byte: byte, fallback: Int32(fallback), longest: longest))
                spans.append((first..<end, length + 1))
                rest = end..<rest.endIndex
            }
            place += 1
        }
        nodes.append(Node(byte: 0, firstChild: Int32(nodes.count)))
    }

    /// For each place of a text the length of the longest word that begins there; 0 if none does.
    func lengths(in text: [UInt8]) -> [Int] {
        var lengths = [Int](repeating: 0, count: text.count)
        guard !nodes.isEmpty else { return lengths }
        var node = 0
        for place in text.indices.reversed() {
            node = next(after: node, text[place])
            lengths[place] = Int(nodes[node].longest)
        }
        return lengths
    }

    /// The longest part that is a node, and what a node stands for begins with, with a byte in front.
    private func next(after node: Int, _ byte: UInt8) -> Int {
        var node = node
        while true {
            if let child = child(of: node, byte) { return child }
            guard node > 0 else { return 0 }
            node = Int(nodes[node].fallback)
        }
    }

    private func child(of node: Int, _ byte: UInt8) -> Int? {
        var (low, high) = (Int(nodes[node].firstChild), Int(nodes[node + 1].firstChild))
        let end = high
        while low < high {
            let middle = (low + high) / 2
            if nodes[middle].byte < byte { low = middle + 1 } else { high = middle }
        }
        return low < end && nodes[low].byte == byte ? low : nil
    }
}
