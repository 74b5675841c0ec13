import EventLog
import MicroHTTP
import Webhooks

extension Problem {
    /// What a client is told of an error. Internals go to the log, under the same request id.
    init(_ error: any Error, request: Request, faults: FaultLog) {
        switch error {
        case let problem as Problem: self = problem
        case let refusal as ProbeRefusal: self.init(refusal)
        case let error as EventLogError: self.init(error, requestID: request.id, faults: faults)
        default:
            faults.tell(unexpected: error, request: request.id)
            self.init(.internalError, code: "internal", detail: "Something went wrong. The log has the details.")
        }
    }

    /// What a client is told whose endpoint is not tried out.
    private init(_ refusal: ProbeRefusal) {
        switch refusal {
        case .busy:
            self.init(
                .tooManyRequests,
                code: "endpoint-busy",
                detail:
                    "Several attempts to reach this endpoint are under way already. Try again when they have ended.",
                headers: [("Retry-After", "5")]
            )
        case .exhausted:
            self.init(
                .unavailable,
                code: "overloaded",
                detail: "The hub has no descriptors or memory left to reach an endpoint with. Try again.",
                headers: [("Retry-After", "2")]
            )
        case .stopping: self = .draining
        }
    }

    /// What a client is told when the log could not do what was asked.
    init(_ error: EventLogError, requestID: String, faults: FaultLog) {
        switch error.code {
        case .storageFull:
            faults.tell(error, request: requestID)
            self.init(
                .insufficientStorage,
                code: "storage-full",
                detail: "The log's disk is full. Nothing was stored; try again when there is space."
            )
        case .limitReached:
            self.init(
                .insufficientStorage,
                code: "limit-reached",
                detail: "\(error.message) Nothing was stored."
            )
        case .overloaded:
            self.init(
                .unavailable,
                code: "overloaded",
                detail: "\(error.message) Try again.",
                headers: [("Retry-After", "1")]
            )
        case .closed: self = .draining
        case .unavailable:
            faults.tell(error, request: requestID)
            self.init(.unavailable, code: "log-unavailable", detail: error.message, headers: [("Retry-After", "1")])
        case .missing:
            faults.tell(error, request: requestID)
            self.init(
                .unavailable,
                code: "log-unavailable",
                detail: "A file of the log was removed or replaced, emptied or cut. The hub's own log has the details.",
                headers: [("Retry-After", "5")]
            )
        case .revisionChanged:
            self.init(
                .preconditionFailed,
                code: "observer-changed",
                detail: "The observer was changed since it was read. Read it again.",
                parameter: "If-Match"
            )
        default:
            faults.tell(error, request: requestID)
            self.init(.internalError, code: "internal", detail: "The log failed. The hub's own log has the details.")
        }
    }

    /// An id is taken by an observer of another kind.
    static var observerKind: Problem {
        Problem(.conflict, code: "observer-kind", detail: Self.observerKindDetail)
    }

    /// What a program or a client is told of it.
    static let observerKindDetail = "An observer of another kind has this id. Only webhooks have deliveries."

    /// There is no observer of the id.
    static var observerUnknown: Problem {
        Problem(.notFound, code: "observer-unknown", detail: "There is no such observer. It may have gone.")
    }

    /// There is no observer of the id at the nodes that were asked.
    ///
    /// - Parameter missing: those that have not answered; nil if all have.
    static func observerUnknown(without missing: [String]?) -> Problem {
        guard let missing else { return observerUnknown }
        let nodes = missing.isEmpty ? "Other nodes of the cluster" : missing.joined(separator: ", ")
        return Problem(
            .notFound,
            code: "observer-unknown",
            detail: "There is no such observer at the nodes that answer. \(nodes) did not."
        )
    }

    /// Deliveries of a disabled observer are asked for.
    static var observerDisabled: Problem {
        Problem(
            .conflict,
            code: "observer-disabled",
            detail: "The observer is disabled. Enable it first: PATCH it with {\"enabled\": true}."
        )
    }

    /// As many replays and recoveries are under way as may be.
    static func redeliveryBusy(_ bound: Redeliveries.Bound) -> Problem {
        let what =
            switch bound {
            case .ofWebhook: "A replay or recovery of this webhook is"
            case .ofCredential:
                "\(Redeliveries.limitOfCredential) replays and recoveries that this credential asked for are"
            case .ofHub: "\(Redeliveries.limit) replays and recoveries are"
            }
        return Problem(
            .tooManyRequests,
            code: "redelivery-busy",
            detail: "\(what) under way already. Try again when one has ended.",
            headers: [("Retry-After", "2")]
        )
    }

    /// What the log has of the webhook cannot be read.
    static var observerUnreadable: Problem {
        Problem(
            .conflict,
            code: "observer-unreadable",
            detail: "What is stored of this webhook cannot be read. Replace it with PUT, or DELETE it."
        )
    }

    /// More waits for clients that read slowly than the hub has memory for.
    static var readersOverloaded: Problem {
        Problem(
            .unavailable,
            code: "overloaded",
            detail: "Too much waits for clients that read slowly. Try again in a moment.",
            headers: [("Retry-After", "2")]
        )
    }

    /// As many answers are being made as may be at a time, and they take long.
    static var answersOverloaded: Problem {
        Problem(
            .unavailable,
            code: "overloaded",
            detail: "Too many answers are being made. Try again in a moment.",
            headers: [("Retry-After", "2")]
        )
    }

    /// Who asked is gone, as far as can be known: of one that cannot be asked the closed half of its connection says so.
    static var clientGone: Problem {
        Problem(
            .badRequest,
            code: "client-gone",
            detail: "The client has closed its half of the connection before the answer was found."
        )
    }

    /// The hub is shutting down.
    static var draining: Problem {
        Problem(
            .unavailable,
            code: "draining",
            detail: "The hub is shutting down. Try again in a moment.",
            headers: [("Retry-After", "2")]
        )
    }
}
