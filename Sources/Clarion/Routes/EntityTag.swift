import MicroHTTP

/// Conditional requests (RFC 9110 section 13.1).
enum EntityTag {
    /// Whether an `If-None-Match` or `If-Match` field names the tag, or any.
    static func matches(_ field: String?, _ tag: String) -> Bool {
        guard let field else { return false }
        // Our tags hold neither commas nor blanks.
        return field.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }).contains { candidate in
            let candidate = candidate.hasPrefix("W/") ? candidate.dropFirst(2) : candidate
            return candidate == "*" || candidate == tag
        }
    }

    /// Checks `If-Match` against what is there.
    ///
    /// - Parameter present: the tag of what is there; nil if there is nothing, which matches no tag.
    /// - Throws: 412 `observer-changed`.
    static func require(_ request: Request, present: String?) throws(Problem) {
        guard let field = request.headers["If-Match"] else { return }
        if let present, matches(field, present) { return }
        throw Problem(
            .preconditionFailed,
            code: "observer-changed",
            detail: "The observer is not what \"If-Match\" names. Read it again and use its ETag.",
            parameter: "If-Match"
        )
    }
}
