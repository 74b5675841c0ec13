import FoundationEssentials
import JSON

/// Decodes notifications' payloads of JSON as Foundation does, and tells the place of every mismatch. Foundation leaves
/// out that of a number that does not fit its type, such as 1.5 for an `Int`.
struct InfoDecoder: Decoder {
    let view: JSONView
    /// Where the value stands: in this container, and there under this key.
    private let container: [any CodingKey]
    private let key: (any CodingKey)?

    init(_ view: JSONView, in container: [any CodingKey] = [], at key: (any CodingKey)? = nil) {
        self.view = view
        self.container = container
        self.key = key
    }

    var codingPath: [any CodingKey] { key.map { container + [$0] } ?? container }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let entries = view.entries else { throw mismatch([String: Any].self) }
        return KeyedDecodingContainer(InfoMembers(entries, at: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = view.elements() else { throw mismatch([Any].self) }
        return InfoElements(elements, at: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func mismatch(_ type: any Any.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "It does not fit.")
        return decodeNil() ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

extension InfoDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { view.kind == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard let flag = view.bool else { throw mismatch(type) }
        return flag
    }

    func decode(_ type: String.Type) throws -> String {
        guard let text = view.text else { throw mismatch(type) }
        return text
    }

    // For these the standard library has an implementation of its own, which throws.
    func decode(_ type: Int128.Type) throws -> Int128 { try whole(type) }

    func decode(_ type: UInt128.Type) throws -> UInt128 { try whole(type) }

    func decode<Value: Decodable & FixedWidthInteger>(_ type: Value.Type) throws -> Value { try whole(type) }

    private func whole<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
        guard let digits = view.digits, let value = Value(digits) ?? Value(whole: digits) else { throw mismatch(type) }
        return value
    }

    func decode<Value: Decodable & BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Value.Type
    ) throws -> Value {
        guard let digits = view.digits, let value = Value(digits), value.isFinite, value != 0 || digits.isZero
        else { throw mismatch(type) }
        return value
    }

    /// - Throws: a mismatch; what the value's own `init(from:)` does.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        switch type {
        case is Date.Type:
            guard !decodeNil(), let date = try Date(rfc3339From: self) as? Value else { throw mismatch(type) }
            return date
        case is Data.Type: return try decode(type, "Encountered Data is not valid Base64.") { Data(base64Encoded: $0) }
        case is URL.Type: return try decode(type, "Invalid URL string.") { URL(string: $0) }
        case is Decimal.Type:
            guard let value = view.digits.flatMap({ Decimal(string: $0) }) as? Value else { throw mismatch(type) }
            return value
        default: return try Value(from: self)
        }
    }

    /// What is a string in JSON.
    private func decode<Value>(_ type: Value.Type, _ rule: String, _ read: (String) -> Any?) throws -> Value {
        if decodeNil() { throw mismatch(type) }
        guard let value = read(try decode(String.self)) as? Value else {
            throw DecodingError.dataCorruptedError(in: self, debugDescription: rule)
        }
        return value
    }
}

extension FixedWidthInteger {
    /// A whole number that is not written as one, such as 34.0 or 1e3.
    fileprivate init?(whole digits: String) {
        guard let double = Double(digits), let value = Self(exactly: double) else { return nil }
        // Beyond, a double may be another number than was written.
        let isExact = double.magnitude < 0x1p53
        guard let value = isExact ? value : Decimal(string: digits).flatMap({ Self("\($0)") }) else { return nil }
        self = value
    }
}

extension String {
    /// Whether a number is 0 as it is written, and not only rounded to it.
    fileprivate var isZero: Bool { !utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.contains { 0x31...0x39 ~= $0 } }
}
