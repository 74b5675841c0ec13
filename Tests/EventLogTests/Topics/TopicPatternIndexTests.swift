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
        for (value, pattern) in patterns.enumerated() { _ = trie.insert(value, for: pattern) }
        #expect(!trie.isEmpty)
        for (value, pattern) in patterns.enumerated().shuffled(using: &random) {
            let wasThere = trie.remove(value, for: pattern)
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
}
