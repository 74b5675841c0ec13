#if canImport(ObjectiveC)
    /// A reference that does not keep its object alive.
    struct WeakOwner<Object: AnyObject> {
        // Objects of Objective-C count their references in their own way: only `weak` works for all.
        private weak let object: Object?

        /// - Parameter object: not in its `deinit`, see ``isEnding(_:)``.
        init(_ object: Object) { self.object = object }

        /// The object, unless it is gone.
        func load() -> Object? { object }
    }

    /// Whether the last reference to an object has gone, so that it is in its `deinit`.
    func isEnding(_ object: AnyObject) -> Bool {
        weak let reference = object
        return reference == nil
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

        /// - Parameter object: not in its `deinit`, see ``isEnding(_:)``.
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

    /// Whether the last reference to an object has gone, so that it is in its `deinit`: nothing may refer to it from then on,
    /// not even without retaining it, for the compiler may have put it on the stack, whose memory no reference keeps.
    func isEnding(_ object: AnyObject) -> Bool {
        let reference = unsafe Unmanaged.passUnretained(object)
        guard unsafe swift_tryRetain(reference.toOpaque()) != nil else { return true }
        unsafe reference.release()
        return false
    }
#endif

extension WeakOwner: Sendable where Object: Sendable {}
