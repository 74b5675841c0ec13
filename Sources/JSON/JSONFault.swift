import Notation

/// Why bytes are not taken as JSON.
package struct JSONFault: Error, Hashable {
    /// All but the first are legal by the grammar of RFC 8259, which leaves it to each reader what else it takes (sections
    /// 4, 6, 8.2 and 9).
    package enum Reason: Hashable, Sendable {
        case syntax
        /// Values are nested deeper than so many levels.
        case depth(Int)
        /// A number that a `Double` does not hold: it could not be given back.
        case number
        /// Half a surrogate pair in a string: it is no character.
        case surrogate
        /// Two members of one name in an object.
        case repeatedMember
        /// A string that takes long to be compared: see `isStreamSafe`.
        case marks
    }

    package let reason: Reason

    /// The byte where it was noticed; nil if no one place is to blame.
    private let offset: Int?

    package init(_ reason: Reason, at offset: Int? = nil) {
        self.reason = reason
        self.offset = offset
    }

    /// What is wrong, as the rest of a sentence about the document.
    package var predicate: String {
        switch reason {
        case .syntax: "is not valid JSON"
        case .depth(let limit): "is nested deeper than \(limit) levels"
        case .number: "has a number that is too large: 64-bit floating point does not hold it"
        case .surrogate:
            "has half of a surrogate pair in a string: an escape from \\uD800 to \\uDFFF without its other half"
        case .repeatedMember: "has an object with two members of one name"
        case .marks: "\(String.marksPredicate) in a string"
        }
    }

    /// The predicate, with the line for the person who wrote the document.
    package func predicate(in document: [UInt8]) -> String {
        guard let offset else { return predicate }
        return "\(predicate) (line \(1 + document.prefix(offset).count { $0 == UInt8(ascii: "\n") }))"
    }
}
