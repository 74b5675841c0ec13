import MicroHTTP

extension Operation {
    /// One form of a body.
    struct Content: Sendable {
        /// A media type, or a range of them.
        let type: String
        let schema: OrderedJSON
        /// Each with a name in kebab case.
        let examples: KeyValuePairs<String, OrderedJSON>

        init(_ type: String, _ schema: OrderedJSON, examples: KeyValuePairs<String, OrderedJSON>) {
            self.type = type
            self.schema = schema
            self.examples = examples
        }

        init(_ type: String, _ schema: OrderedJSON, example: OrderedJSON) {
            self.init(type, schema, examples: ["example": example])
        }
    }

    /// What a request carries.
    struct Body: Sendable {
        let description: String
        var isRequired = true
        let contents: [Content]
        /// The codes of problems that it may be to blame for.
        var errors: [ErrorCode]
        /// The most bytes that the route takes; nil for all that the hub takes.
        var limit: Int?

        /// What a document may take, in bytes. The largest webhook takes 103 KiB in UTF-8: 100 topics of 255 bytes, 100 types of
        /// 128 characters, 16 KiB of headers, a URL of 8 KiB. The rest is for escapes and blanks.
        static let documentLimit = 256 << 10

        /// A JSON object with members that are known, and no others, of at most ``documentLimit``.
        static func json(
            _ description: String,
            _ schema: Schema,
            types: [String] = [ContentType.json],
            isRequired: Bool = true,
            examples: KeyValuePairs<String, OrderedJSON>
        ) -> Body {
            Body(
                description: "\(description) At most \(documentLimit) bytes.",
                isRequired: isRequired,
                contents: types.map { Content($0, .schema(schema), examples: examples) },
                errors: ["body-invalid", "member-invalid", "member-unknown", "media-type-unsupported"],
                limit: documentLimit
            )
        }
    }

    /// An answer of a request that was carried out.
    struct Answer: Sendable {
        let status: Status
        let description: String
        /// The header fields beside those of every answer.
        var headers: [Header] = []
        /// None if there is no body.
        var contents: [Content] = []

        init(_ status: Status, _ description: String, headers: [Header] = [], _ contents: Content...) {
            self.status = status
            self.description = description
            self.headers = headers
            self.contents = contents
        }

        /// An answer of JSON, which no cache keeps.
        static func json(
            _ status: Status,
            _ description: String,
            headers: [Header] = [],
            _ schema: OrderedJSON,
            example: OrderedJSON
        ) -> Answer {
            Answer(
                status,
                description,
                headers: [.cacheControl] + headers,
                Content(ContentType.json, schema, example: example)
            )
        }
    }
}
