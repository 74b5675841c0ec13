import Testing

@testable import Broadcasting

@Suite struct WeakReferenceTests {
    private final class Thing { private let size = SizeOfItsOwn() }

    @Test func `it does not keep its object`() {
        var thing = Optional(Thing())
        let reference = WeakReference(thing!)
        #expect(reference.object === thing)
        thing = nil
        #expect(reference.object == nil)
    }

    @Test func `references are equal when their objects are the same`() {
        let (one, other) = (Thing(), Thing())
        #expect(WeakReference(one) == WeakReference(one))
        #expect(WeakReference(one) != WeakReference(other))
        #expect(Set([WeakReference(one), WeakReference(one), WeakReference(other)]).count == 2)
    }

    @Test func `hash and equality to itself outlive the object`() {
        var thing = Optional(Thing())
        let reference = WeakReference(thing!)
        let references: Set = [reference]
        thing = nil
        #expect(references.contains(reference))
    }

    @Test func `references that differ never become equal, though all of their objects are gone`() {
        var numbers: [WeakReference<Thing>: Int] = [:]
        for number in 0..<20_000 { numbers[WeakReference(Thing())] = number }
        #expect(numbers.count == 20_000)
        #expect(Set(numbers.keys).count == 20_000)
    }

    @Test func `one that is made in its object's deinit refers to nothing`() {
        final class Late {
            private let tell: (WeakReference<Late>, WeakSet<Late>) -> Void
            init(_ tell: @escaping (WeakReference<Late>, WeakSet<Late>) -> Void) { self.tell = tell }
            deinit { tell(WeakReference(self), WeakSet([self])) }
        }
        var references: Set<WeakReference<Late>> = []
        var members = 0
        for _ in 0..<1_000 {
            _ = Late { reference, set in
                references.insert(reference)
                members += set.count
            }
        }
        #expect(!references.isEmpty && references.allSatisfy { $0.object == nil })
        #expect(members == 0)
    }
}
