import Spelling

/// The query parameters that a route takes.
///
/// ```swift
/// router.on(.get, "/events", parameters: [.repeatable("topic"), "since", "limit"]) { … }
/// ```
///
/// Any other is refused, so that a typo does not pass silently; but for names that begin with `_`, which clients add to
/// get past caches, and for `access_token` (RFC 6750 section 2.3), which is for whoever admits requests.
public struct QueryParameters: ExpressibleByArrayLiteral, Sendable {
    /// One parameter that a route takes.
    public struct Parameter: ExpressibleByStringLiteral, Sendable {
        let name: String
        let isRepeatable: Bool

        /// A parameter that a query has once at most.
        public init(_ name: String) {
            self.init(name: name, isRepeatable: false)
        }

        /// A parameter that a query has once at most.
        public init(stringLiteral name: String) {
            self.init(name)
        }

        private init(name: String, isRepeatable: Bool) {
            self.name = name
            self.isRepeatable = isRepeatable
        }

        /// A parameter that a query may have several times, each with a value that counts.
        public static func repeatable(_ name: String) -> Parameter {
            Parameter(name: name, isRepeatable: true)
        }
    }

    private let known: [Parameter]
    private var takesAny = false

    /// Whatever there is.
    public static let any = {
        var any = QueryParameters([])
        any.takesAny = true
        return any
    }()

    /// These parameters and no others.
    public init(_ parameters: [Parameter]) {
        known = parameters
    }

    /// These parameters and no others.
    public init(arrayLiteral parameters: Parameter...) {
        self.init(parameters)
    }

    /// Refuses a query that has others, or one of these too often.
    ///
    /// - Throws: 400 `parameter-unknown`, 400 `parameter-invalid`.
    func check(_ query: Query) throws(Problem) {
        if takesAny { return }
        // What was found: there are never more of these than a route knows, however long the query is.
        var found: Set<String> = []
        for parameter in query.parameters where !Self.isPassedOver(parameter.name) {
            guard let one = known.first(where: { $0.name == parameter.name }) else { throw unknown(parameter.name) }
            guard found.insert(one.name).inserted || one.isRepeatable else {
                throw Problem(
                    .badRequest,
                    code: "parameter-invalid",
                    detail: "\"\(one.name)\" stands in the query more than once. Which one is meant?",
                    parameter: one.name
                )
            }
        }
    }

    private static func isPassedOver(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: "_") || name.utf8.elementsEqual("access_token".utf8)
    }

    private func unknown(_ name: String) -> Problem {
        let advice =
            known.isEmpty
            ? "This route takes none; names that begin with \"_\" are ignored."
            : Spelling.advice(on: name, known: known.map(\.name))
        return Problem(
            .badRequest,
            code: "parameter-unknown",
            detail: "There is no query parameter \"\(name)\" here. \(advice)",
            parameter: name
        )
    }
}
