/// Elements that are posted together, in order; few enough to hold up nobody.
struct Batch<Element> {
    private var elements: [Element] = []
    private var size = 0

    /// How many elements it has at most. Hubs take 10,000.
    private static var most: Int { 1000 }

    /// How many bytes it has at most, unless one element has more. Hubs take 1 MiB, or what they are set to take: one that
    /// takes less is posted ``Parts``.
    private static var largest: Int { 256 * 1024 }

    /// The element that was added last.
    var last: Element? { elements.last }

    /// Whether an element of so many bytes fits. Into an empty one any does.
    func hasRoom(for bytes: Int) -> Bool {
        elements.isEmpty || elements.count < Self.most && size + bytes <= Self.largest
    }

    /// Adds an element.
    ///
    /// - Parameter bytes: what it adds to the body of the post.
    mutating func append(_ element: Element, bytes: Int) {
        elements.append(element)
        size += bytes
    }

    /// Empties it.
    ///
    /// - Returns: what was in it.
    mutating func take() -> Parts {
        defer { self = Batch() }
        return Parts(elements)
    }

    /// What of a batch is still to be posted, in order: at first all of it together.
    struct Parts {
        /// The one that comes first is the last.
        private var left: [ArraySlice<Element>]

        init(_ elements: [Element]) {
            left = elements.isEmpty ? [] : [elements[...]]
        }

        /// The part to post now, which is not empty; nil if all is posted.
        mutating func next() -> ArraySlice<Element>? { left.popLast() }

        /// Has the hub asked again with the halves of a part that it did not take. The part has two elements at least.
        mutating func halve(_ part: ArraySlice<Element>) {
            let middle = part.startIndex + part.count / 2
            left += [part[middle...], part[..<middle]]
        }
    }
}
