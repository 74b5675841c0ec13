import MicroHTTP

/// What a request makes its success depend on: `If-Match` and `If-None-Match` (RFC 9110 section 13.1). The conditions
/// on dates are passed over, as section 13.1.4 has it for resources without a date.
struct Preconditions: Hashable, Sendable {
    /// One of the two fields.
    enum Field: String, Sendable {
        case match = "If-Match"
        case noneMatch = "If-None-Match"
    }

    /// What is there before the request.
    enum Present {
        case nothing
        /// Something that has no tag.
        case untagged
        case tagged(EntityTag)
    }

    /// How routes are described that look at them.
    static let parameters: [Operation.Parameter] = [
        parameter(.match, "Only if what is there has one of these tags, or is there at all (`*`)."),
        parameter(.noneMatch, "Only if what is there has none of these tags, or if nothing is there (`*`)."),
    ]

    private static func parameter(_ field: Field, _ description: String) -> Operation.Parameter {
        .header(
            field.rawValue,
            description,
            ["type": "string", "pattern": .string(#"^(\*|((W/)?"[!#-~]*"(, *(W/)?"[!#-~]*")*)?)$"#)],
            example: .string(#""01jd7m3x8qz4-41""#),
            errors: ["parameter-invalid"]
        )
    }

    let match: EntityTagList?
    let noneMatch: EntityTagList?

    /// - Throws: 400 `parameter-invalid` for a field that is no list of tags: what cannot be read must not be taken for a
    ///   condition that holds.
    init(_ request: Request) throws(Problem) {
        match = try Self.list(request.headers.values(of: "If-Match"), .match)
        noneMatch = try Self.list(request.headers.values(of: "If-None-Match"), .noneMatch)
    }

    /// The first condition that does not hold, in the order of section 13.2.2; nil if the request may be carried out.
    ///
    func unmet(by present: Present) -> Field? {
        if let match, !present.isOne(of: match, by: .strong) { return .match }
        if let noneMatch, present.isOne(of: noneMatch, by: .weak) { return .noneMatch }
        return nil
    }

    /// Checks the conditions of a request that changes something.
    ///
    /// - Parameter code: of the problem: `observer-changed` for an observer.
    /// - Throws: 412.
    func require(_ present: Present, else code: String = "precondition-failed") throws(Problem) {
        guard let field = unmet(by: present) else { return }
        throw Self.problem(field, of: present, code: code)
    }

    /// - Throws: 412 `precondition-failed` for a request that changes a resource which is there and has no tag.
    static func requireUntagged(_ request: Request) throws(Problem) {
        try Preconditions(request).require(.untagged)
    }

    /// What a client is told whose condition does not hold.
    static func problem(_ field: Field, of present: Present, code: String) -> Problem {
        let detail =
            switch (field, present) {
            case (.match, .nothing): "Nothing is there that \"If-Match\" could name. Leave it out to make it."
            case (.match, .untagged): "What is there has no ETag: of it, only \"If-Match: *\" holds."
            case (.match, .tagged): "What is there is not what \"If-Match\" names. Read it again and use its ETag."
            case (.noneMatch, _): "What is there is what \"If-None-Match\" rules out. Read it, and use its ETag."
            }
        return Problem(.preconditionFailed, code: code, detail: detail, parameter: field.rawValue)
    }

    private static func list(_ values: [String], _ field: Field) throws(Problem) -> EntityTagList? {
        guard !values.isEmpty else { return nil }
        guard let list = EntityTagList(values) else {
            throw Problem(
                .badRequest,
                code: "parameter-invalid",
                detail: "\"\(field.rawValue)\" is \"*\", or an ETag with its quotes, or a list of them.",
                parameter: field.rawValue
            )
        }
        return list
    }
}

extension Preconditions.Present {
    fileprivate func isOne(of list: EntityTagList, by comparison: EntityTag.Comparison) -> Bool {
        switch self {
        case .nothing: false
        case .untagged: list == .any
        case .tagged(let tag): list.contains(tag, by: comparison)
        }
    }
}
