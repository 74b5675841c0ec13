import JSON

/// Why data is not what a bound topic carries, in words for whoever posted it.
struct InfoMismatch: Error, Equatable {
    /// The JSON Pointer (RFC 6901) of the place to blame; empty for the whole document.
    let pointer: String
    /// What was expected there and what was found.
    let detail: String

    private init(pointer: String, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }

    /// The data is not taken as JSON.
    init(_ fault: JSONFault) {
        self.init(
            pointer: "",
            detail: "Expected JSON, for this topic is bound to a notification. The data \(fault.predicate)."
        )
    }

    /// - Parameters:
    ///   - error: what the decoder threw.
    ///   - document: what it was given.
    init(_ error: any Error, in document: JSONView) {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            self.init(
                at: context.codingPath + [key],
                "Expected a member \"\(key.stringValue)\", found none of that name."
            )
        case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
            let found = context.codingPath.reduce(document) { value, key in value?[key] }.map(Self.name)
            self.init(at: context.codingPath, "Expected \(Self.name(of: type)), found \(found ?? "something else").")
        case DecodingError.dataCorrupted(let context):
            self.init(at: context.codingPath, context.debugDescription)
        default:
            // Thrown by the payload's own decoding, in words that were not meant for clients.
            self.init(pointer: "", detail: "The data is not what this topic carries.")
        }
    }

    private init(at path: [any CodingKey], _ detail: String) {
        self.init(pointer: path.map { "/\(JSONMembers.escape($0.stringValue))" }.joined(), detail: detail)
    }

    /// What a Swift type is in JSON, or its name.
    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "a boolean"
        case is any BinaryInteger.Type: "a whole number (\(type))"
        case is any BinaryFloatingPoint.Type: "a number"
        case is [String: Any].Type: "an object"
        case is [Any].Type: "an array"
        default: String(describing: type)
        }
    }

    private static func name(_ value: JSONView) -> String {
        switch value.kind {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "the number \(String(decoding: (value.scalar ?? .null).bytes, as: UTF8.self))"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONView {
    /// A member or an element.
    fileprivate subscript(key: any CodingKey) -> JSONView? {
        if let entries { return entries.first { $0.name == key.stringValue }?.value }
        guard let elements = elements(), let index = key.intValue, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}
