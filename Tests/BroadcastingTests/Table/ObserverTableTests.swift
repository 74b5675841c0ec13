import Testing

@testable import Broadcasting

@Suite struct ObserverTableTests {
    let table = ObserverTable<String, Int>()

    @Test func `a notification reaches the observers of its key in order of registration`() {
        let heard = Recorder<String>()
        let owners = (0..<300).map { _ in Recorder<Int>() }
        for (index, owner) in owners.enumerated() {
            table.register("a", owner: owner) { owner, value in
                owner.hear(value)
                heard.hear("\(index)")
            }
        }
        let other = Recorder<Int>()
        table.register("b", owner: other) { $0.hear($1) }

        table.notify("a", 7)

        #expect(owners.allSatisfy { $0.values == [7] })
        #expect(heard.values == (0..<300).map { "\($0)" })
        #expect(other.values.isEmpty)
    }

    @Test func `an owner may register many times under one key and under many`() {
        let owner = Recorder<Int>()
        let first = table.register("a", owner: owner) { $0.hear($1) }
        table.register("a", owner: owner) { $0.hear($1 * 10) }
        table.register("b", owner: owner) { $0.hear($1 * 100) }

        table.notify("a", 1)
        table.notify("b", 1)
        #expect(owner.values == [1, 10, 100])

        #expect(table.remove(first))
        #expect(!table.remove(first))
        table.notify("a", 2)
        #expect(owner.values == [1, 10, 100, 20])
    }

    @Test func `a registration that replaces leaves one of the owner or of the name`() {
        let owner = Recorder<Int>()
        let other = Recorder<Int>()
        for owner in [owner, owner, other] {
            table.register("a", owner: owner, replacing: .sameOwner) { $0.hear($1) }
        }
        #expect(table.count(of: "a") == 2)

        table.register("n", name: "log") { other.hear($0) }
        table.register("n", name: "log") { other.hear(-$0) }
        table.register("n", name: "log") { owner.hear($0 * 100) }
        table.register("n", name: "trace") { other.hear($0 * 1000) }
        table.notify("n", 5)
        #expect(owner.values == [500])
        #expect(other.values == [5000])
        #expect(table.remove(name: "trace", from: "n"))
        #expect(!table.remove(name: "trace", from: "n"))
        #expect(table.count(of: "n") == 1)
    }

    @Test func `unregistering ends what it names and nothing else`() {
        let owner = Recorder<Int>()
        let other = Recorder<Int>()
        for key in ["a", "b", "c"] {
            table.register(key, owner: owner) { $0.hear($1) }
            table.register(key, owner: owner) { $0.hear($1) }
            table.register(key, owner: other) { $0.hear($1) }
        }
        #expect(table.removeAll(ownedBy: owner, from: "a") == 2)
        #expect(table.count(of: "a") == 1)
        #expect(table.count(of: "b") == 3)

        #expect(table.removeAll("b") == 3)
        #expect(table.isEmpty("b"))
        #expect(!table.isEmpty("c"))

        #expect(table.removeAll(ownedBy: owner) == 2)
        #expect(table.registrationCount == 2)
        #expect(Set(table.keys) == ["a", "c"])
    }

    @Test func `keys are kept only while they have observers`() {
        let owner = Recorder<Int>()
        let registrations = (0..<10_000).map { table.register("\($0)", owner: owner) { $0.hear($1) } }
        #expect(table.keys.count == 10_000)
        for registration in registrations { table.remove(registration) }
        #expect(table.keys.isEmpty)
        #expect(table.registrationCount == 0)
    }
}
