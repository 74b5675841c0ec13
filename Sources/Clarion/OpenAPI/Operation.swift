import MicroHTTP

/// What `/openapi.json` says of a route beside its method, its path and what it needs: no route is registered without.
///
/// The query parameters that it names are those the route takes.
struct Operation: Sendable {
    /// Unique; generated clients name their functions for it.
    let id: String
    let section: Section
    /// What it does, in a few words.
    let summary: String
    /// What else there is to say, in Markdown that has code and no links.
    var details: String?
    /// Those of the path, the query and the head, in the order in which they are read.
    var parameters: [Parameter] = []
    /// What it takes as its body; nil if it looks at none.
    var body: Body?
    /// What it is answered with if all goes well.
    let answers: [Answer]
    /// The codes of problems that are its own: those that come with what it needs, with its parameters and with its body
    /// are not among them.
    var errors: [ErrorCode] = []

    /// A part of the interface.
    enum Section: String, CaseIterable, Sendable {
        case events = "Events"
        case values = "Values"
        case topics = "Topics"
        case observers = "Observers"
        case deliveries = "Deliveries"
        case service = "Service"

        var summary: String {
            switch self {
            case .events: "Posting events, and hearing them: live as server-sent events, or from history."
            case .values: "A topic as a value: its newest event."
            case .topics: "What topics there are, and how much of each is kept."
            case .observers: "Everything that listens: streams, webhooks and objects of the process."
            case .deliveries: "What became of events on their way to webhooks, and delivering them again."
            case .service: "The hub itself."
            }
        }
    }

    /// The code of a problem, with the status that it has from this operation.
    struct ErrorCode: Hashable, Sendable, ExpressibleByStringLiteral {
        let code: String
        /// Nil for the status that the code has as a rule.
        let status: Int?

        init(_ code: String, status: Int? = nil) {
            self.code = code
            self.status = status
        }

        init(stringLiteral code: String) {
            self.init(code)
        }
    }

    /// The query parameters that the route takes.
    var query: QueryParameters {
        QueryParameters(
            parameters.filter { $0.place == .query }.flatMap { parameter in
                ([parameter.name] + parameter.otherSpellings).map { name -> QueryParameters.Parameter in
                    parameter.isRepeatable ? .repeatable(name) : .init(name)
                }
            }
        )
    }

    /// The names of its path's segments, in order.
    var segments: [String] { parameters.filter { $0.place == .path }.map(\.name) }
}
