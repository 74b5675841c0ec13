extension Operation {
    /// A header field of answers.
    struct Header: Hashable, Sendable {
        let name: String
        let description: String
        let schema: OrderedJSON
        let example: OrderedJSON

        private init(_ name: String, _ description: String, _ schema: OrderedJSON? = nil, example: OrderedJSON) {
            self.name = name
            self.description = description
            self.schema = schema ?? ["type": "string"]
            self.example = example
        }

        /// How a field is named in the document.
        var reference: OrderedJSON { ["$ref": "#/components/headers/\(name)"] }

        /// The fields of every answer.
        static let common = [requestID, server]

        static let requestID = Header(
            "Request-Id",
            "The id of the request in the hub's log: the client's own if it sent one that may be echoed.",
            ["type": "string", "pattern": .string(#"^[A-Za-z0-9._~:/+=-]{1,128}$"#)],
            example: "01jd7m3x8q-17"
        )
        static let server = Header("Server", "What answers.", ["const": "clarion"], example: "clarion")
        static let cacheControl = Header("Cache-Control", "How long the answer may be kept.", example: "no-store")
        static let location = Header(
            "Location",
            "Where what was made is: a path, or a URL of a hub that has a public one.",
            ["type": "string", "format": "uri-reference"],
            example: "/topics/orders.created/events/01jd7m3x8qz4-41"
        )
        static let entityTag = Header(
            "ETag",
            "What tells this representation from others; for `If-Match` and `If-None-Match`.",
            example: #""01jd7m3x8qz4-41""#
        )
        static let eventType = Header(
            "Event-Type",
            "The event's type, if it has one; control characters and `%` are percent-encoded.",
            example: "created"
        )
        static let idempotentReplayed = Header(
            "Idempotent-Replayed",
            "Nothing was stored: this is the answer to an earlier post with the same key.",
            ["const": "true"],
            example: "true"
        )
        static let link = Header(
            "Link",
            "Leads to the next page (RFC 8288), if more follows.",
            example: #"<?limit=100&after=01jd7m3x8qz4-41>; rel="next""#
        )
        static let vary = Header(
            "Vary",
            "The fields of the request that have chosen the answer.",
            example: "Accept, Authorization, Cookie"
        )
        static let noSniffing = Header(
            "X-Content-Type-Options",
            "The type is what it says.",
            ["const": "nosniff"],
            example: "nosniff"
        )
        static let contentSecurityPolicy = Header(
            "Content-Security-Policy",
            "What a browser that shows it lets it do.",
            example: "sandbox; default-src 'none'"
        )
        static let referrerPolicy = Header(
            "Referrer-Policy",
            "Other sites are not told of it.",
            ["const": "no-referrer"],
            example: "no-referrer"
        )
        static let accelBuffering = Header(
            "X-Accel-Buffering",
            "Has nginx hand on each event at once. Of streams.",
            ["const": "no"],
            example: "no"
        )
        static let observerID = Header(
            "Clarion-Observer-Id",
            "The stream's id, as in `/observers/{id}`. Of streams.",
            .schema(.observerID),
            example: "str_7h2kq9v0w3x5y8za"
        )
        static let lastEventID = Header(
            "Clarion-Last-Event-Id",
            "The position that the stream starts after. Of streams.",
            .schema(.eventID),
            example: "01jd7m3x8qz4-41"
        )
        static let allow = Header("Allow", "The methods that the path takes.", example: "GET, HEAD, OPTIONS")
        static let acceptEncoding = Header(
            "Accept-Encoding",
            "What a body may be coded by: nothing. Where one was.",
            ["const": "identity"],
            example: "identity"
        )
        static let acceptPatch = Header(
            "Accept-Patch",
            "What a patch is taken as. Of a `PATCH`.",
            example: .string(ContentType.patches.joined(separator: ", "))
        )
        static let retryAfter = Header(
            "Retry-After",
            "How many seconds to wait before trying again.",
            ["type": "string", "pattern": "^[0-9]+$"],
            example: "2"
        )
        static let authenticate = Header(
            "WWW-Authenticate",
            "How to show a credential, and what was wrong with the one that was shown (RFC 6750).",
            example: #"Bearer realm="clarion""#
        )
        static let rateLimit = Header(
            "RateLimit",
            "What is left of the quota, and in how many seconds it is whole. Of changes that are too many.",
            example: #""changes";r=0;t=1"#
        )
        static let rateLimitPolicy = Header(
            "RateLimit-Policy",
            "The quota. Of changes that are too many.",
            example: #""changes";q=20;w=2"#
        )
    }
}
