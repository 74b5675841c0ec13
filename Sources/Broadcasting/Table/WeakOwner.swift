#if canImport(ObjectiveC)
    /// A reference that does not keep its object alive.
    struct WeakOwner<Object: AnyObject> {
        // Objects of Objective-C count their references in their own way: only `weak` works for all.
        private weak let object: Object?

        init(_ object: Object) { self.object = object }

        /// The object, unless it is gone.
        func load() -> Object? { object }
    }
#else
    import CSwiftRuntime

    /// A reference that does not keep its object alive, nor lets its address go: as long as this reference is there, no
    /// other object lives at the address of the one it was made of.
    ///
    /// A `weak` reference leads through a side table that the runtime allocates for the object, and makes every retain and
    /// release of the object take that way, too: 80 ns to load and release one. An `unowned` reference counts in the object's
    /// own header. It keeps the memory, not the content: the object's `deinit` runs in its time, the members are released,
    /// and the header stays until the last such reference goes. Reading one of a dead object stops the program, because
    /// the runtime tries to retain and takes failure for a mistake; here the same attempt is made and failure means `nil`.
    ///
    /// Sources: the life of an object in the runtime's `RefCount.h` (in DEINITING and DEINITED the attempt fails; FREED
    /// comes only after the last unowned release), `swift_unownedRetainStrong` and `swift_tryRetain` in `HeapObject.cpp`.
    @safe
    struct WeakOwner<Object: AnyObject> {
        /// Keeps the header. Never read.
        private unowned let anchor: Object
        private let reference: Unmanaged<Object>

        init(_ object: Object) {
            anchor = object
            unsafe reference = .passUnretained(object)
        }

        /// The object, unless it is gone.
        func load() -> Object? {
            // The anchor keeps the header readable; what was retained is taken over.
            guard unsafe swift_tryRetain(reference.toOpaque()) != nil else { return nil }
            return unsafe reference.takeRetainedValue()
        }
    }
#endif

extension WeakOwner: Sendable where Object: Sendable {}
