/// Bytes that were checked to be one JSON text (RFC 8259) and nothing else, in UTF-8: posted data is embedded into other
/// documents as it is, so it must not be able to break them. What the document holds are views of its bytes.
///
/// Not Foundation's decoder: it takes trailing commas and byte order marks, picks one of two members of the same name,
/// and through nested containers its time grows with the square of the depth, on requests that anyone may send.
package struct JSONDocument: Sendable {
    /// The value that the document is.
    package let root: JSONView

    /// Checks bytes in one pass, without building anything.
    ///
    /// - Parameters:
    ///   - maximumDepth: deeper nesting is not accepted; whoever reads the document has to recurse that deep.
    ///   - isStreamSafe: whether all strings must be what `String.isStreamSafe` says: whoever compares them needs that.
    /// - Throws: the first thing that keeps the bytes from being JSON. Two members of one name do not; who reads those of
    ///   an object decides.
    package init(_ bytes: [UInt8], maximumDepth: Int = 64, isStreamSafe: Bool = false) throws(JSONFault) {
        var walk = JSONWalk(bytes, maximumDepth: maximumDepth, isStreamSafe: isStreamSafe)
        guard let place = walk.document() else { throw walk.fault }
        guard UTF8Check.isValid(bytes) else { throw JSONFault(.syntax, at: nil) }
        root = JSONView(bytes, place)
    }

    /// Whether the bytes are JSON.
    package static func isValid(_ bytes: [UInt8], maximumDepth: Int = 64) -> Bool {
        (try? JSONDocument(bytes, maximumDepth: maximumDepth)) != nil
    }
}
