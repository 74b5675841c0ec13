import EventLog

/// `?type=a,b`: which events a client wants; all of them unless it names types. Types are the same if their bytes are,
/// as topics are.
struct TypeFilter: Sendable {
    /// None if every event is wanted.
    let types: [String]

    init(_ parameter: String?) {
        self.init(parameter?.utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)) } ?? [])
    }

    init(_ types: [String]) {
        self.types = types
    }

    /// Whether every event is wanted.
    var isOpen: Bool { types.isEmpty }

    func selects(_ event: Event) -> Bool {
        guard !types.isEmpty else { return true }
        guard let type = event.type else { return false }
        return types.contains { $0.utf8.elementsEqual(type.utf8) }
    }
}
