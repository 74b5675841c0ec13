/// The values of one pattern: few as a rule, so an array; where they are many, with a dictionary of their places, so
/// that leaving does not take longer the more there are.
struct TopicPatternBucket<Value: Hashable> {
    /// In no particular order: the last value takes the place of a removed one.
    private(set) var values: [Value] = []

    /// Where each value lies; kept from ``indexedCount`` values on.
    private var places: [Value: Int]?

    /// From how many values on comparing one by one is slower than hashing.
    private static var indexedCount: Int { 16 }

    mutating func insert(_ value: Value) -> Bool {
        guard place(of: value) == nil else { return false }
        places?[value] = values.count
        values.append(value)
        if places == nil, values.count >= Self.indexedCount {
            places = Dictionary(uniqueKeysWithValues: values.enumerated().map { ($1, $0) })
        }
        return true
    }

    mutating func remove(_ value: Value) -> Bool {
        guard let place = place(of: value) else { return false }
        let last = values.removeLast()
        places?[value] = nil
        if place < values.count {
            values[place] = last
            places?[last] = place
        }
        return true
    }

    private func place(of value: Value) -> Int? {
        if let places { return places[value] }
        return values.firstIndex(of: value)
    }
}

extension TopicPatternBucket: Sendable where Value: Sendable {}
