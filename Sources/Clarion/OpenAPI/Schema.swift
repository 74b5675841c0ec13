/// A JSON Schema (draft 2020-12) that is described once and referred to by its name.
///
/// Each stands beside what writes or reads such a document.
struct Schema: Hashable, Sendable {
    let name: String
    let json: OrderedJSON

    init(_ name: String, _ json: OrderedJSON) {
        self.name = name
        self.json = json
    }

    /// What stands in its place elsewhere.
    var reference: OrderedJSON { ["$ref": "#/components/schemas/\(name)"] }
}

extension OrderedJSON {
    /// The schema of an object that has all of these members, and perhaps some of the optional ones.
    static func object(
        _ description: String? = nil,
        required members: OrderedJSON,
        optional: OrderedJSON = [:],
        example: OrderedJSON? = nil
    ) -> OrderedJSON {
        .present([
            "type": "object",
            "description": description.map(OrderedJSON.string),
            "properties": members.adding(optional.members),
            "required": members.members.isEmpty ? nil : .array(members.members.map { .string($0.name) }),
            "examples": example.map { [$0] },
        ])
    }

    /// The schema of a page of a list: its elements, and the cursor of the next.
    ///
    /// - Parameter optional: what else it may have.
    static func page(of name: String, _ element: Schema, next: String, optional: OrderedJSON = [:]) -> OrderedJSON {
        object(
            required: .object([
                Member(name: name, value: ["type": "array", "items": .schema(element)]),
                Member(
                    name: "next",
                    value: ["type": ["string", "null"], "description": .string("\(next); null on the last page.")]
                ),
            ]),
            optional: optional
        )
    }

    /// What an answer has beside that is gathered from all nodes of a cluster: see `naming(unreachable:)`.
    static let unreachable: OrderedJSON = [
        "unreachable": [
            "type": "array", "items": ["type": "string"],
            "description": """
            The nodes of a cluster that did not answer within half a second: what only they know is missing. Absent if all have. \
            Empty if none could be asked, and none is known.
            """,
            "examples": [["node-00f3a1b2c4d5e6f7"]],
        ]
    ]

    static func text(_ description: String) -> OrderedJSON { ["type": "string", "description": .string(description)] }

    /// One of a few words.
    static func choice(_ values: some Sequence<String>, _ description: String? = nil) -> OrderedJSON {
        .present([
            "type": "string", "enum": .array(values.map(OrderedJSON.string)),
            "description": description.map(OrderedJSON.string),
        ])
    }

    /// A whole number.
    static func integer(_ range: ClosedRange<Int>? = nil, _ description: String? = nil) -> OrderedJSON {
        .present([
            "type": "integer", "minimum": range.map { .integer($0.lowerBound) },
            "maximum": range.map { .integer($0.upperBound) }, "description": description.map(OrderedJSON.string),
        ])
    }

    /// A count of something, which is never negative.
    static func count(_ description: String? = nil) -> OrderedJSON {
        .present(["type": "integer", "minimum": 0, "description": description.map(OrderedJSON.string)])
    }

    static func flag(_ description: String) -> OrderedJSON { ["type": "boolean", "description": .string(description)] }

    /// RFC 3339, in UTC, with milliseconds.
    static func time(_ description: String? = nil) -> OrderedJSON {
        .present(["type": "string", "format": "date-time", "description": description.map(OrderedJSON.string)])
    }

    /// One text alone. Programs that make clients find their way by an `enum` with a type, and not by a `const`.
    static func constant(_ text: String) -> OrderedJSON {
        ["type": "string", "enum": [.string(text)]]
    }

    /// A schema that null fits, too.
    static func nullable(_ schema: OrderedJSON) -> OrderedJSON {
        guard case .object(let members) = schema, let type = schema["type"] else {
            return ["anyOf": [schema, ["type": "null"]]]
        }
        return .object(
            members.map { member in
                switch member.name {
                case "type": Member(name: "type", value: .array([type, "null"]))
                case "enum": Member(name: "enum", value: .array(member.value.elements + [.null]))
                default: member
                }
            }
        )
    }
}

extension OrderedJSON.Member {
    /// Of the schema of an object in a request: other members are refused.
    static let closed = OrderedJSON.Member(name: "additionalProperties", value: false)
}
