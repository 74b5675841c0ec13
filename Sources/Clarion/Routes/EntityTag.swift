import MicroHTTP

/// Conditional requests (RFC 9110 section 13.1).
enum EntityTag {
    /// Whether an `If-None-Match` or `If-Match` names the tag, or any.
    ///
    /// - Parameter fields: the values of all fields of that name: together they are one list (section 5.3).
    static func matches(_ fields: [String], _ tag: String) -> Bool {
        // Our tags hold neither commas nor blanks.
        fields.flatMap { $0.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) }.contains { candidate in
            let candidate = candidate.hasPrefix("W/") ? candidate.dropFirst(2) : candidate
            return candidate == "*" || candidate == tag
        }
    }

    /// Checks `If-Match` against what is there.
    ///
    /// - Parameter present: the tag of what is there; nil if there is nothing, which matches no tag.
    /// - Throws: 412 `observer-changed`.
    static func require(_ request: Request, present: String?) throws(Problem) {
        let fields = request.headers.values(of: "If-Match")
        guard !fields.isEmpty else { return }
        if let present, matches(fields, present) { return }
        throw Problem(
            .preconditionFailed,
            code: "observer-changed",
            detail: "The observer is not what \"If-Match\" names. Read it again and use its ETag.",
            parameter: "If-Match"
        )
    }
}
