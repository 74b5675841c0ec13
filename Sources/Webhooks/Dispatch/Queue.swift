/// A first-in, first-out queue on one array: appending and taking are amortized O(1).
struct Queue<Element> {
    private var storage: [Element?] = []
    private var head = 0

    var count: Int { storage.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : storage[head] }

    mutating func append(_ element: Element) {
        storage.append(element)
    }

    /// Puts an element before all others. Cheap if one was taken before.
    mutating func prepend(_ element: Element) {
        if head > 0 {
            head -= 1
            storage[head] = element
        } else {
            storage.insert(element, at: 0)
        }
    }

    mutating func popFirst() -> Element? {
        guard head < storage.count else { return nil }
        // The slot is emptied so that the element is released with its taker, not with the array.
        let element = storage[head].take()
        head += 1
        if head == storage.count {
            storage.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 256, head * 2 >= storage.count {
            storage.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Empties the queue; returns what was in it.
    mutating func removeAll() -> [Element] {
        let elements = storage[head...].compactMap { $0 }
        storage = []
        head = 0
        return elements
    }
}
