/// Which types of events are wanted: those named, or all, also events without a type, if none is. Compared by their bytes,
/// as topics are.
package struct EventTypes: Hashable, Sendable {
    package let names: [String]

    package init(_ names: [String]) {
        self.names = names
    }

    package var areAll: Bool { names.isEmpty }

    package func contain(_ type: String?) -> Bool {
        guard !names.isEmpty else { return true }
        guard let type else { return false }
        return names.contains { $0.utf8.hasSameBytes(as: type.utf8) }
    }
}
