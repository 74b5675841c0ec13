import MicroHTTP

/// The hub's interface as OpenAPI 3.1 (<https://spec.openapis.org/oas/v3.1.1.html>), made of the routes that are registered
/// and of the table of errors.
///
/// `HEAD` and `OPTIONS`, which every path takes, are not among the operations: they would say the same thing of each.
struct OpenAPIDocument: Sendable {
    let json: OrderedJSON

    /// - Parameters:
    ///   - routes: every route, in the order in which they are described.
    ///   - publicURL: where clients reach the hub; nil for where they have the document from.
    ///   - isOpen: whether the hub asks for no credentials.
    init(of routes: [DescribedRoute], publicURL: PublicURL?, isOpen: Bool) {
        var paths: [OrderedJSON.Member] = []
        for path in routes.map(\.path).uniqued {
            let operations = routes.filter { $0.path == path }.map { route in
                OrderedJSON.Member(name: route.method.description.lowercased(), value: route.json(isOpen: isOpen))
            }
            let shared = OrderedJSON.Member(name: "parameters", value: [Self.requestID.reference])
            paths.append(.init(name: path, value: .object([shared] + operations)))
        }
        let sections = Operation.Section.allCases.filter { section in
            routes.contains { $0.operation.section == section }
        }
        let document: OrderedJSON = [
            "openapi": "3.1.0",
            "info": Self.info,
            "servers": [["url": .string(publicURL?.text ?? "/")]],
            "tags": .array(sections.map { ["name": .string($0.rawValue), "description": .string($0.summary)] }),
            "paths": .object(paths),
        ]
        let responses = DocumentedError.all.map { error in
            OrderedJSON.Member(name: error.code, value: .problem(error.status, [error]))
        }
        let components: OrderedJSON = [
            "schemas": .object(
                Schema.all(in: document, .object(responses)).map { .init(name: $0.name, value: $0.json) }
            ),
            "parameters": .object([.init(name: Self.requestID.name, value: Self.requestID.json)]),
            "headers": .object(Self.headers(of: routes).map { .init(name: $0.name, value: $0.json) }),
            "responses": .object(responses),
            "examples": .object(DocumentedError.all.map { .init(name: $0.code, value: $0.example($0.status)) }),
            "securitySchemes": Credential.schemes,
        ]
        json = document.adding([.init(name: "components", value: components)])
    }

    private static let info: OrderedJSON = [
        "title": "Clarion",
        "version": .string(Hub.version),
        "summary": "An HTTP hub where everything that listens is an observer of one broadcaster.",
        "description": """
        Post an event once; streams of server-sent events, webhooks and objects of the process hear it, in order, and \
        nothing that was acknowledged is lost.

        Every `GET` is answered to `HEAD`, too, and every path to `OPTIONS`. A query parameter that an operation does not \
        name is refused, unless its name begins with `_`. Members of JSON that are unknown are refused as well. Times \
        are RFC 3339 in UTC, with milliseconds.

        Every error is a problem document (RFC 9457) whose `code` is stable. What has a 4xx of the head, such as 414 or \
        431, or 505, may be answered before it is known which operation was meant. A path that is unknown is 404 \
        `route-unknown`; a method that a path does not take, 405 `method-not-allowed`.

        Pages of other origins may read answers, and change something, only if the hub allows their origin \
        (`--allow-origin`): then answers carry the `Access-Control` fields of CORS, and `Vary: Origin`.

        A service that posts what it was delivered sends `Clarion-Hop` back as it came: what goes in a circle comes to an \
        end, 508 `loop-detected`.
        """,
        "license": ["name": "Apache License 2.0", "identifier": "Apache-2.0"],
    ]

    /// What every operation takes.
    private static let requestID = Operation.Parameter.header(
        "Request-Id",
        "The id of the request in the hub's log and in the answer. One that may not be echoed is passed over.",
        ["type": "string"],
        example: "01jd7m3x8q-17"
    )

    private static func headers(of routes: [DescribedRoute]) -> [Operation.Header] {
        let answers = routes.flatMap { $0.operation.answers }.flatMap(\.headers)
        return (Operation.Header.common + answers + Operation.Header.ofProblems).uniqued
    }
}

extension Schema {
    /// The schemas that documents refer to, and those that these refer to, in the order in which they are met.
    fileprivate static func all(in documents: OrderedJSON...) -> [Schema] {
        var found: [Schema] = []
        for document in documents { collect(from: document, into: &found) }
        return found
    }

    private static func collect(from json: OrderedJSON, into found: inout [Schema]) {
        switch json {
        case .schema(let schema):
            guard !found.contains(where: { $0.name == schema.name }) else { return }
            found.append(schema)
            collect(from: schema.json, into: &found)
        case .array(let elements): for element in elements { collect(from: element, into: &found) }
        case .object(let members): for member in members { collect(from: member.value, into: &found) }
        case .null, .bool, .integer, .number, .string: break
        }
    }
}

extension Array where Element: Hashable {
    /// Each element once, where it stood first.
    fileprivate var uniqued: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
