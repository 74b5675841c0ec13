/// Why a document that a person wrote is not taken as JSON, and in which line.
package struct JSONDocumentFault: Error, CustomStringConvertible {
    package let fault: JSONFault
    /// From 1; nil if no one line is to blame.
    package let line: Int?

    /// - Parameter offset: the byte where the fault was noticed.
    init(_ fault: JSONFault, at offset: Int?, in bytes: [UInt8]) {
        self.fault = fault
        line = offset.map { offset in 1 + bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") } }
    }

    /// What is wrong, as the rest of a sentence about the document.
    package var description: String {
        line.map { "\(fault.predicate) (line \($0))" } ?? fault.predicate
    }
}

extension JSONValue {
    /// Parses a document that a person wrote.
    ///
    /// - Throws: what is wrong, and in which line.
    package init(document bytes: [UInt8]) throws(JSONDocumentFault) {
        self = try JSONReader.document(of: bytes)
    }
}
