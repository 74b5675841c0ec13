extension JSONValue {
    /// About how many bytes the document takes, without writing it: what is escaped takes more.
    package var roughSize: Int {
        switch self {
        case .null, .bool: 5
        case .number: 8
        case .string(let text): text.utf8.count + 3
        case .array(let elements): elements.reduce(2) { $0 + $1.roughSize }
        case .object(let members): members.reduce(2) { $0 + $1.key.utf8.count + 3 + $1.value.roughSize }
        }
    }
}
