/// A set of objects that it does not keep alive.
///
/// ```swift
/// var listeners: WeakSet = [view, model]
/// listeners.insert(view)                      // already there: nothing changes
/// for listener in listeners { listener.refresh() }
/// ```
///
/// Like every collection of the standard library it is a value, and a variable that holds one belongs to one thread at a
/// time. Dead members are invisible at once; their storage goes with the next sweep, at the latest when there are twice as
/// many members as the last one left, so memory stays proportional to the objects that live.
public struct WeakSet<Object: AnyObject> {
    /// By address, which finds a member but does not identify it: a member counts only while its object lives, and no
    /// living object shares its address.
    private var members: [ObjectIdentifier: WeakReference<Object>] = [:]
    private var sweepSchedule = SweepSchedule()

    /// An empty set.
    public init() {}

    /// A set of the objects of a sequence, each counted once.
    public init(_ objects: some Sequence<Object>) {
        insert(contentsOf: objects)
    }

    /// How many members live. Visits all.
    public var count: Int { reduce(0) { count, _ in count + 1 } }

    /// Whether no member lives.
    public var isEmpty: Bool { first { _ in true } == nil }

    /// The members that live, in no particular order. Holding the array keeps them alive.
    public var liveObjects: [Object] { Array(self) }

    /// Whether an object is a member.
    public func contains(_ object: Object) -> Bool {
        members[ObjectIdentifier(object)]?.object === object
    }

    /// Adds an object.
    ///
    /// - Returns: `false` if it was a member already, in which case nothing changes.
    @discardableResult
    public mutating func insert(_ object: Object) -> Bool {
        if contains(object) { return false }
        members[ObjectIdentifier(object)] = WeakReference(object)
        if sweepSchedule.begin(count: members.count) { sweep() }
        return true
    }

    /// Adds every object of a sequence that is not a member yet.
    public mutating func insert(contentsOf objects: some Sequence<Object>) {
        for object in objects { insert(object) }
    }

    /// Removes an object.
    ///
    /// - Returns: whether it was a member.
    @discardableResult
    public mutating func remove(_ object: Object) -> Bool {
        members.removeValueShrinking(forKey: ObjectIdentifier(object))?.object === object
    }

    /// Removes every object of a sequence.
    public mutating func remove(contentsOf objects: some Sequence<Object>) {
        for object in objects { remove(object) }
    }

    /// Members whose storage has not been swept, the dead ones included.
    var storedCount: Int { members.count }

    private mutating func sweep() {
        members = members.filter { $0.value.object != nil }
        sweepSchedule.finish(count: members.count)
    }
}

extension WeakSet: Sequence {
    /// Goes over the members that live at the moment they are reached, in no order.
    public struct Iterator: IteratorProtocol {
        fileprivate var members: Dictionary<ObjectIdentifier, WeakReference<Object>>.Values.Iterator

        /// The next member that lives.
        public mutating func next() -> Object? {
            while let member = members.next() {
                if let object = member.object { return object }
            }
            return nil
        }
    }

    /// An iterator over the members that live.
    public func makeIterator() -> Iterator {
        Iterator(members: members.values.makeIterator())
    }
}

extension WeakSet: ExpressibleByArrayLiteral {
    /// A set of the listed objects.
    public init(arrayLiteral objects: Object...) {
        self.init(objects)
    }
}

extension WeakSet: Sendable where Object: Sendable {}
