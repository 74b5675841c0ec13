import FoundationEssentials
import JSON
import MicroHTTP
import Notation

/// What every list takes: `limit=`, and as `cursor=` the `next` of the page before.
struct ListPage {
    /// What a query may say of it.
    static let parameters: [Operation.Parameter] = [
        limitParameter,
        .query(
            "cursor",
            "Where the page begins: the `next` of the one before.",
            ["type": "string"],
            example: "b3JkZXJzLmNyZWF0ZWQ="
        ),
    ]

    static let limitParameter = Operation.Parameter.query(
        "limit",
        "The most that the page is to have; 100 unless it is given.",
        .integer(limits),
        example: 100
    )

    static let limits = 1...1000

    /// Where a page ends whose elements may be large, in bytes, more or less: what one client asks for is kept whole.
    static let mostBytes = 4 << 20

    let limit: Int
    /// What the cursor stands for; nil on the first page.
    let after: String?

    /// - Throws: `parameter-invalid`.
    init(_ query: Query) throws(Problem) {
        limit = try Self.limit(query)
        guard let text = query["cursor"] else {
            after = nil
            return
        }
        guard !text.isEmpty, let data = Data(base64Encoded: Query.restoringPlus(text)),
            let place = String(validating: data, as: UTF8.self)
        else { throw Self.cursorProblem }
        after = place
    }

    /// The most that a page is to have; 100 unless the client says otherwise.
    static func limit(_ query: Query) throws(Problem) -> Int {
        guard let limit = Int(digits: (query["limit"] ?? "100").utf8), limits.contains(limit) else {
            throw problem("limit", "is a number from \(limits.lowerBound) to \(limits.upperBound)")
        }
        return limit
    }

    /// What was found, of which one more than the page is to have was asked for: that one tells whether there is more.
    ///
    /// - Parameter place: what the cursor after an element stands for.
    /// - Returns: the page, and its `next`.
    func cut<Element>(_ found: [Element], after place: (Element) -> String) -> (page: [Element], next: JSONValue) {
        let page = Array(found.prefix(limit))
        guard found.count > page.count, let last = page.last else { return (page, .null) }
        return (page, Self.cursor(place(last)))
    }

    /// The cursor that stands for a place in the list.
    static func cursor(_ place: String) -> JSONValue { .string(Data(place.utf8).base64EncodedString()) }

    static var cursorProblem: Problem { problem("cursor", "is the \"next\" of an earlier page") }

    static func problem(_ parameter: String, _ what: String) -> Problem {
        Problem(.badRequest, code: "parameter-invalid", detail: "\"\(parameter)\" \(what).", parameter: parameter)
    }
}
