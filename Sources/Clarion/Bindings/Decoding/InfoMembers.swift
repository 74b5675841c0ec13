import JSON

/// The members of an object, see ``InfoDecoder``.
struct InfoMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let members: [String: JSONView]
    let codingPath: [any CodingKey]

    /// Of two members of one name the first counts.
    init(_ entries: [(name: String, value: JSONView)], at path: [any CodingKey]) {
        members = Dictionary(entries.lazy.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        codingPath = path
    }

    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder(key).decode(type)
    }

    // For these the standard library has an implementation of its own, which throws.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decoder(key).decode(type) }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try decoder(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try decoder(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder {
        InfoDecoder(members[InfoKey.super.stringValue] ?? .null, in: codingPath, at: InfoKey.super)
    }

    func superDecoder(forKey key: Key) -> any Decoder {
        InfoDecoder(members[key.stringValue] ?? .null, in: codingPath, at: key)
    }

    private func decoder(_ key: Key) throws -> InfoDecoder {
        guard let view = members[key.stringValue] else {
            let context = DecodingError.Context(codingPath: codingPath, debugDescription: "It is missing.")
            throw DecodingError.keyNotFound(key, context)
        }
        return InfoDecoder(view, in: codingPath, at: key)
    }
}

/// A place that no type has a key for.
struct InfoKey: CodingKey {
    static let `super` = InfoKey(stringValue: "super")

    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    /// An element of an array.
    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}
