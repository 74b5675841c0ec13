extension Dictionary {
    /// Removes a value and gives memory back when the dictionary has become sparse, which `removeValue` never does.
    ///
    /// The copy is paid for by the removals that made it sparse: amortized O(1).
    @discardableResult
    mutating func removeValueShrinking(forKey key: Key) -> Value? {
        let value = removeValue(forKey: key)
        if capacity > 64, count < capacity / 8 {
            var smaller = Dictionary(minimumCapacity: 2 * count)
            for (key, value) in self { smaller[key] = value }
            self = smaller
        }
        return value
    }
}
