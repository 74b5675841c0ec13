/// Forwards to the elements of an array, see `Traced`.
struct TracedUnkeyedContainer: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer

    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool { try base.decodeNil() }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try base.decode(Traced<Value>.self).value
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(TracedKeyedContainer(base: try base.nestedContainer(keyedBy: type)))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        TracedUnkeyedContainer(base: try base.nestedUnkeyedContainer())
    }

    mutating func superDecoder() throws -> any Decoder { TracedDecoder(base: try base.superDecoder()) }

    private mutating func plain<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let path = codingPath + [ElementKey(currentIndex)]
        return try traced(type, at: path) { try base.decode(type) }
    }

    /// The place of an element, named as Foundation does.
    private struct ElementKey: CodingKey {
        let index: Int

        init(_ index: Int) { self.index = index }

        var intValue: Int? { index }
        var stringValue: String { "Index \(index)" }

        init?(intValue: Int) { index = intValue }
        init?(stringValue: String) { return nil }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try plain(type) }
    mutating func decode(_ type: String.Type) throws -> String { try plain(type) }
    mutating func decode(_ type: Double.Type) throws -> Double { try plain(type) }
    mutating func decode(_ type: Float.Type) throws -> Float { try plain(type) }
    mutating func decode(_ type: Int.Type) throws -> Int { try plain(type) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try plain(type) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try plain(type) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try plain(type) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try plain(type) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try plain(type) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try plain(type) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try plain(type) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try plain(type) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try plain(type) }
}
