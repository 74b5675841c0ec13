extension Operation {
    /// What a request says beside its body.
    struct Parameter: Hashable, Sendable {
        enum Place: String, Sendable {
            case path, query, header
        }

        let place: Place
        let name: String
        let description: String
        let schema: OrderedJSON
        let example: OrderedJSON
        /// Whether a request without it is refused.
        var isRequired = false
        /// Whether a query may have it several times.
        var isRepeatable = false
        /// Other spellings that are taken for it. The document tells of them in words only: programs that write clients make one
        /// name of all of them, and refuse a parameter that comes twice.
        var otherSpellings: [String] = []
        /// The codes of problems that it may be to blame for.
        var errors: [ErrorCode]

        /// A segment of the path.
        static func path(
            _ name: String,
            _ description: String,
            _ schema: OrderedJSON,
            example: OrderedJSON,
            errors: [ErrorCode] = []
        ) -> Parameter {
            Parameter(
                place: .path,
                name: name,
                description: description,
                schema: schema,
                example: example,
                isRequired: true,
                errors: errors
            )
        }

        /// A query parameter. One that comes twice is `parameter-invalid`.
        static func query(
            _ name: String,
            _ description: String,
            _ schema: OrderedJSON,
            example: OrderedJSON,
            errors: [ErrorCode] = []
        ) -> Parameter {
            Parameter(
                place: .query,
                name: name,
                description: description,
                schema: schema,
                example: example,
                errors: ["parameter-invalid"] + errors
            )
        }

        /// A header field.
        static func header(
            _ name: String,
            _ description: String,
            _ schema: OrderedJSON,
            example: OrderedJSON,
            errors: [ErrorCode] = []
        ) -> Parameter {
            Parameter(
                place: .header,
                name: name,
                description: description,
                schema: schema,
                example: example,
                errors: errors
            )
        }
    }
}
