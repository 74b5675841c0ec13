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

    @Test(.disabled(if: addressSanitizerKeepsAddresses))
    func `a reference to a dead object is not one to the object at its address`() throws {
        try whenReused {
            var dead = Optional(Thing())
            let address = ObjectIdentifier(dead!)
            let reference = WeakReference(dead!)
            dead = nil
            let heir = try object(at: address) { Thing() }
            #expect(WeakReference(heir) != reference)
            #expect(Set([reference, WeakReference(heir)]).count == 2)
        }
    }
}
