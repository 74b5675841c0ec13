import JSON

/// The elements of an array, see ``InfoDecoder``.
struct InfoElements: UnkeyedDecodingContainer {
    private let elements: [JSONView]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(_ elements: [JSONView], at path: [any CodingKey]) {
        self.elements = elements
        codingPath = path
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    mutating func decodeNil() throws -> Bool {
        let isNull = try decoder(for: Never.self).decodeNil()
        if isNull { currentIndex += 1 }
        return isNull
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try $0.decode(type) } }

    // For these the standard library has an implementation of its own, which throws.
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try next { try $0.decode(type) } }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next { try $0.decode(type) } }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }

    /// Passes an element over once it was read.
    private mutating func next<Value>(_ read: (InfoDecoder) throws -> Value) throws -> Value {
        let value = try read(decoder(for: Value.self))
        currentIndex += 1
        return value
    }

    private func decoder(for type: any Any.Type) throws -> InfoDecoder {
        let key = InfoKey(intValue: currentIndex)
        guard !isAtEnd else {
            let context = DecodingError.Context(codingPath: codingPath + [key], debugDescription: "It is missing.")
            throw DecodingError.valueNotFound(type, context)
        }
        return InfoDecoder(elements[currentIndex], in: codingPath, at: key)
    }
}
