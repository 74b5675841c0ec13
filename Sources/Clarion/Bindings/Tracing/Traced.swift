import FoundationEssentials

/// A value whose decoding tells the place of every fault.
///
/// Foundation leaves out the place of a number that does not fit its type, such as 1.5 for an `Int`: it says of the whole
/// document that it is not valid. So data that was refused in that way is decoded once more through these containers, which
/// forward everything and add the place.
struct Traced<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        value =
            isDecodedByFoundation(Value.self)
            ? try decoder.singleValueContainer().decode(Value.self) : try Value(from: TracedDecoder(base: decoder))
    }
}

/// Types for which Foundation's decoder has its own way: theirs would not know of it.
private func isDecodedByFoundation(_ type: any Decodable.Type) -> Bool {
    type == Date.self || type == Data.self || type == URL.self || type == Decimal.self
}

/// Decodes one plain value, and gives an error that is without a place its place.
func traced<Value>(
    _ type: Value.Type,
    at path: @autoclosure () -> [any CodingKey],
    _ decode: () throws -> Value
) throws -> Value {
    do {
        return try decode()
    } catch let error as DecodingError {
        throw error
    } catch {
        throw DecodingError.typeMismatch(
            type,
            DecodingError.Context(codingPath: path(), debugDescription: "It does not fit.", underlyingError: error)
        )
    }
}
