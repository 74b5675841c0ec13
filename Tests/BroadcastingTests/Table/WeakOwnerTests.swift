import Locking
import Synchronization
import Testing

@testable import Broadcasting

@Suite struct WeakOwnerTests {
    private final class Owner: Sendable {
        let content = Lock<AnyObject?>(nil)
        private let size = SizeOfItsOwn()
        let atEnd: @Sendable () -> Void

        init(atEnd: @escaping @Sendable () -> Void = {}) { self.atEnd = atEnd }

        deinit { atEnd() }
    }

    @Test func `it gives its object as long as that lives, and does not keep it`() {
        var owner = Optional(Owner())
        let reference = WeakOwner(owner!)
        do {
            let loaded = reference.load()
            #expect(loaded === owner)
            owner = nil
            #expect(reference.load() === loaded, "what was loaded keeps the object")
            withExtendedLifetime(loaded) {}
        }
        #expect(reference.load() == nil)
    }

    @Test func `it gives nothing from the moment on in which the object's end begins`() {
        let references = Recorder<WeakOwner<Owner>>()
        let loads = Recorder<Bool>()
        do {
            let owner = Owner { loads.hear(references.values[0].load() == nil) }
            references.hear(WeakOwner(owner))
        }
        #expect(loads.values == [true])
        #expect(references.values[0].load() == nil)
    }

    @Test func `it does not keep what the object holds`() {
        final class Content: Sendable {}
        weak var content: Content?
        let reference: WeakOwner<Owner>
        do {
            let owner = Owner()
            let held = Content()
            content = held
            owner.content.withLock { $0 = held }
            reference = WeakOwner(owner)
            #expect(reference.load() != nil)
        }
        #expect(content == nil)
        #expect(reference.load() == nil)
    }

    #if !canImport(ObjectiveC)
        @Test(.disabled(if: addressSanitizerKeepsAddresses))
        func `no other object lives at the address until it goes`() throws {
            try whenReused {
                var reference: WeakOwner<Owner>?
                let address: ObjectIdentifier
                do {
                    let owner = Owner()
                    address = ObjectIdentifier(owner)
                    reference = WeakOwner(owner)
                }
                let others = (0..<1_000).map { _ in Owner() }
                #expect(!others.contains { ObjectIdentifier($0) == address })
                #expect(reference?.load() == nil)
                reference = nil
                _ = try object(at: address) { Owner() }  // the memory is given back
            }
        }
    #endif

    @Test func `loading races with the release of the last reference, and one of them comes first`() async {
        for _ in 0..<50 {
            let ends = Atomic(0)
            let owner = Lock<Owner?>(Owner { ends.add(1, ordering: .relaxed) })
            let reference = WeakOwner(owner.withLock { $0! })
            await onThreads(2) { thread in
                if thread == 0 {
                    owner.withLock { $0 = nil }
                } else {
                    while let loaded = reference.load() { loaded.content.withLock { $0 = nil } }
                }
            }
            #expect(ends.load(ordering: .relaxed) == 1)
        }
    }
}
