/// Which types of events are wanted: those named, or all, also events without a type, if none is. Compared by their bytes,
/// as topics are.
struct EventTypes: Hashable, Sendable {
    private let names: [String]

    init(_ names: [String]) {
        self.names = names
    }

    var areAll: Bool { names.isEmpty }

    func contain(_ type: String?) -> Bool {
        guard !names.isEmpty else { return true }
        guard let type else { return false }
        return names.contains { $0.utf8.hasSameBytes(as: type.utf8) }
    }
}
