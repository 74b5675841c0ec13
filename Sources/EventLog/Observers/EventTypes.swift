/// Which types of events are wanted: those named, or all, also events without a type, if none is. Compared by their bytes,
/// as topics are.
package struct EventTypes: Hashable, Sendable {
    package let names: [String]

    /// The names by their bytes: every event is looked at for every observer that wants some types only.
    private let sorted: [String]

    package init(_ names: [String]) {
        self.names = names
        sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    package var areAll: Bool { names.isEmpty }

    package func contain(_ type: String?) -> Bool {
        guard !names.isEmpty else { return true }
        guard let type else { return false }
        var range = 0..<sorted.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if sorted[middle].utf8.hasSameBytes(as: type.utf8) { return true }
            let isBefore = sorted[middle].utf8.lexicographicallyPrecedes(type.utf8)
            range = isBefore ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return false
    }
}
