/// Forwards to a value that is no container, see `Traced`.
struct TracedValueContainer: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer

    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try base.decode(Traced<Value>.self).value }

    private func plain<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try traced(type, at: codingPath) { try base.decode(type) }
    }

    func decode(_ type: Bool.Type) throws -> Bool { try plain(type) }
    func decode(_ type: String.Type) throws -> String { try plain(type) }
    func decode(_ type: Double.Type) throws -> Double { try plain(type) }
    func decode(_ type: Float.Type) throws -> Float { try plain(type) }
    func decode(_ type: Int.Type) throws -> Int { try plain(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try plain(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try plain(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try plain(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try plain(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try plain(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try plain(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try plain(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try plain(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try plain(type) }
}
