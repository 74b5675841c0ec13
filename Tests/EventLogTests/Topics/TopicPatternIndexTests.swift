import Testing

@testable import EventLog

@Suite struct TopicPatternIndexTests {
    @Test func `finds what a naive matcher finds, whatever was inserted and removed`() throws {
        var random = SplitMix(seed: 2)
        var index = TopicPatternIndex<Int>()
        var model: [TopicPattern: Set<Int>] = [:]
        for round in 0..<4_000 {
            let pattern = TopicPattern.of(random.name(wildcards: true))
            let value = Int.random(in: 0..<40, using: &random)
            if Bool.random(using: &random) {
                let isNew = model[pattern, default: []].insert(value).inserted
                let inserted = index.insert(value, for: pattern)
                #expect(inserted == isNew)
            } else {
                let wasThere = model[pattern]?.remove(value) != nil
                let removed = index.remove(value, for: pattern)
                #expect(removed == wasThere)
            }
            guard round.isMultiple(of: 10) else { continue }
            let topic = Topic.of(random.name(wildcards: false))
            var found: [Int] = []
            index.forEachMatch(topic) { found.append($0) }
            let expected = model.filter { naiveMatch($0.key.text, topic.name) }.flatMap(\.value)
            #expect(found.sorted() == expected.sorted())
            #expect(index.matches(topic) == Set(expected))
        }
    }

    @Test func `keeps nothing of what was removed`() throws {
        var random = SplitMix(seed: 3)
        var trie = TopicPatternTrie<Int>()
        let patterns = (0..<500).map { _ in TopicPattern.of("*." + random.name(wildcards: true)) }
        for (value, pattern) in patterns.enumerated() { _ = trie.insert(value, for: TopicSegments(pattern.text)) }
        #expect(!trie.isEmpty)
        for (value, pattern) in patterns.enumerated().shuffled(using: &random) {
            let wasThere = trie.remove(value, for: TopicSegments(pattern.text))
            #expect(wasThere)
        }
        #expect(trie.isEmpty)
    }

    @Test func `holds many values of one pattern and finds each to remove it`() {
        var index = TopicPatternIndex<Int>()
        for value in 0..<1_000 { index.insert(value, for: .of("a")) }
        let isNew = index.insert(500, for: .of("a"))
        #expect(!isNew)
        for value in stride(from: 0, to: 1_000, by: 2) { index.remove(value, for: .of("a")) }
        let wasThere = index.remove(0, for: .of("a"))
        #expect(!wasThere)
        #expect(index.matches(.of("a")) == Set(stride(from: 1, to: 1_000, by: 2)))
    }

    @Test func `answers a value once for each pattern that matches`() {
        var index = TopicPatternIndex<String>()
        for pattern in ["a.b", "a.*", "*.b", "**", "a.**", "x"] { index.insert("v", for: .of(pattern)) }
        var count = 0
        index.forEachMatch(.of("a.b")) { _ in count += 1 }
        #expect(count == 5)
    }

    @Test func `takes a topic of as many segments as fit`() {
        var index = TopicPatternIndex<Int>()
        index.insert(1, for: .of(String(repeating: "*.", count: 126) + "**"))
        index.insert(2, for: .of("*.**"))
        #expect(index.matches(.of(String(repeating: ".", count: 255))) == [1, 2])
        #expect(index.matches(.of(String(repeating: ".", count: 100))) == [2])
    }

    @Test func `long patterns take two nodes at most each, whatever they share, and are found as by a naive matcher`() {
        var random = SplitMix(seed: 5)
        func segments(_ count: Int) -> String {
            (0..<count).map { _ in Bool.random(using: &random) ? "a" : "*" }.joined(separator: ".")
        }
        var trie = TopicPatternTrie<Int>()
        // In pairs that part at their ends: each pair shares next to nothing with others.
        let patterns = (0..<200).flatMap { _ in
            let shared = segments(Int.random(in: 1...125, using: &random))
            return [TopicPattern.of(shared + ".z"), .of(shared + (Bool.random(using: &random) ? ".**" : ".*"))]
        }
        for (value, pattern) in patterns.enumerated() { _ = trie.insert(value, for: TopicSegments(pattern.text)) }
        #expect(nodes(of: trie) <= 2 * patterns.count)
        for count in stride(from: 1, through: 127, by: 7) {
            for end in [".a", ".z"] {
                let topic = Topic.of(String(repeating: "a.", count: count - 1) + "a" + end)
                var found: [Int] = []
                trie.forEachMatch(TopicSegments(topic.name)) { found.append($0) }
                let expected = patterns.indices.filter { naiveMatch(patterns[$0].text, topic.name) }
                #expect(found.sorted() == expected)
            }
        }
        for value in stride(from: 0, to: patterns.count, by: 2) {
            _ = trie.remove(value, for: TopicSegments(patterns[value].text))
        }
        #expect(nodes(of: trie) <= patterns.count)
    }

    private func nodes(of trie: TopicPatternTrie<Int>) -> Int {
        Mirror(reflecting: trie).children.reduce(1) { count, part in
            switch part.value {
            case let children as [TopicSegment: TopicPatternTrie<Int>]:
                children.values.reduce(count) { $0 + nodes(of: $1) }
            case let children as [TopicPatternTrie<Int>]: children.reduce(count) { $0 + nodes(of: $1) }
            default: count
            }
        }
    }
}
