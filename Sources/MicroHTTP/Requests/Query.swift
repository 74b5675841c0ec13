import Notation

/// The parameters of a request target's query, decoded as `application/x-www-form-urlencoded`.
public struct Query: Hashable, Sendable {
    /// Name and value of each parameter, in order; `?flag` has an empty value.
    public let parameters: [Parameter]

    /// One parameter of a query.
    public struct Parameter: Hashable, Sendable {
        /// Decoded.
        public let name: String
        /// Decoded; empty for `?flag`.
        public let value: String
    }

    init(_ bytes: ArraySlice<UInt8>) throws(Problem) {
        var parameters: [Parameter] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            let value = pair[name.endIndex...].dropFirst()
            guard let name = PercentDecoding.decode(name, plusIsSpace: true) else { throw Self.undecodable(nil) }
            guard let value = PercentDecoding.decode(value, plusIsSpace: true) else { throw Self.undecodable(name) }
            // A name is compared with that of each parameter of a route, and none of those has a mark.
            guard name.isStreamSafe, value.isQuickToCompare else {
                throw Problem(
                    .badRequest,
                    code: "parameter-invalid",
                    detail: "A parameter of the query \(String.marksPredicate)."
                )
            }
            parameters.append(Parameter(name: name, value: value))
        }
        self.parameters = parameters
    }

    private static func undecodable(_ parameter: String?) -> Problem {
        Problem(
            .badRequest,
            code: "target-invalid",
            detail: "The query is not valid percent-encoded UTF-8.",
            parameter: parameter
        )
    }

    /// The value of the first parameter whose name has those bytes.
    public subscript(name: String) -> String? {
        parameters.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The values of every parameter whose name has those bytes, in order.
    public func values(of name: String) -> [String] {
        parameters.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
    }

    /// A value in which a `+` that was not escaped, and so has become a space, is one again: what is given to clients to be
    /// sent back, and times, may be pasted as they are.
    package static func restoringPlus(_ value: String) -> String {
        String(decoding: value.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }, as: UTF8.self)
    }
}
