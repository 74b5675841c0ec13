import EventLog

/// `?type=a,b`: which events a client wants; all of them unless it names types.
struct TypeFilter: Sendable {
    private let types: Set<String>

    init(_ parameter: String?) {
        types = Set(parameter?.split(separator: ",").map(String.init) ?? [])
    }

    /// Whether every event is wanted.
    var isOpen: Bool { types.isEmpty }

    func selects(_ event: Event) -> Bool {
        types.isEmpty || event.type.map(types.contains) == true
    }
}
