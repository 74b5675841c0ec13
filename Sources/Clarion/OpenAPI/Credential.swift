/// How a credential is shown.
enum Credential {
    /// The schemes as OpenAPI has them. A request shows one credential, in one of these places.
    static let schemes: OrderedJSON = [
        "bearer": [
            "type": "http", "scheme": "bearer",
            "description": "An API key (`clk_…`) or a JSON Web Token, in `Authorization: Bearer`.",
        ],
        "cookie": [
            "type": "apiKey", "in": "cookie", "name": .string(ShownCredential.cookie),
            "description": """
            The same in a cookie. For what changes something it counts only together with an `Origin` of the hub's own, \
            or an allowed one.
            """,
        ],
        "query": [
            "type": "apiKey", "in": "query", "name": .string(ShownCredential.parameter),
            "description":
                "The same in the query: an `EventSource` cannot set header fields. It is never logged or echoed.",
        ],
    ]

    /// What an operation requires.
    ///
    /// - Parameter isOpen: whether the hub asks for no credentials.
    static func requirement(for need: Need, isOpen: Bool) -> OrderedJSON {
        guard need.check != nil else { return [] }
        let ways = schemes.members.map { OrderedJSON.object([.init(name: $0.name, value: [])]) }
        return .array(ways + (isOpen ? [[:]] : []))
    }
}
