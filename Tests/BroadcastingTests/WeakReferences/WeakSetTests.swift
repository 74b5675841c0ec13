import Testing

@testable import Broadcasting

@Suite struct WeakSetTests {
    private final class Thing { private let size = SizeOfItsOwn() }

    @Test func `it holds each living object once`() {
        let (one, other) = (Thing(), Thing())
        var set = WeakSet<Thing>()
        #expect(set.isEmpty)
        #expect(set.insert(one) == true)
        #expect(set.insert(one) == false)
        #expect(set.insert(other) == true)
        #expect(set.count == 2)
        #expect(set.contains(one))
        #expect(Set(set.liveObjects.map(ObjectIdentifier.init)) == [ObjectIdentifier(one), ObjectIdentifier(other)])
        #expect(Set(set.map(ObjectIdentifier.init)) == [ObjectIdentifier(one), ObjectIdentifier(other)])
    }

    @Test func `it takes and loses many at once`() {
        let things = (0..<10).map { _ in Thing() }
        var set: WeakSet = [things[0]]
        set.insert(contentsOf: things)
        #expect(set.count == 10)
        set.remove(contentsOf: things.prefix(4))
        #expect(set.count == 6)
        #expect(set.remove(things[9]) == true)
        #expect(set.remove(things[9]) == false)
        #expect(WeakSet(things).count == 10)
        withExtendedLifetime(things) {}
    }

    @Test func `objects leave when they are released`() {
        let kept = Thing()
        var set = WeakSet<Thing>()
        set.insert(kept)
        do {
            let gone = Thing()
            set.insert(gone)
            #expect(set.count == 2)
            withExtendedLifetime(gone) {}
        }
        #expect(set.count == 1)
        #expect(set.liveObjects.first === kept)
    }

    @Test func `a copy is a set of its own`() {
        let thing = Thing()
        var set: WeakSet = [thing]
        let copy = set
        set.remove(thing)
        #expect(copy.contains(thing))
        #expect(!set.contains(thing))
    }

    @Test func `an object is no member because a dead one was, wherever that lay`() {
        var set = WeakSet<Thing>()
        for _ in 0..<20 { set.insert(Thing()) }
        let others = (0..<1_000).map { _ in Thing() }
        for other in others {
            #expect(!set.contains(other))
            #expect(set.remove(other) == false)
            #expect(set.insert(other) == true)
        }
        #expect(set.count == others.count)
    }

    @Test func `storage stays proportional to the objects that live`() {
        let kept = (0..<100).map { _ in Thing() }
        var set = WeakSet(kept)
        var greatest = 0
        for _ in 0..<100_000 {
            set.insert(Thing())
            greatest = max(greatest, set.storedCount)
        }
        #expect(greatest <= 2 * (kept.count + SweepSchedule.minimum) + 1)
        #expect(set.count == 100)
        withExtendedLifetime(kept) {}
    }
}
