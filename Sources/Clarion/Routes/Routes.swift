import Locking
import MicroHTTP

/// The hub's routes. None can be registered without what `/openapi.json` is to say of it.
struct Routes: Sendable {
    /// Finds the handlers of requests.
    private(set) var router = Router()

    /// What is registered, in order.
    private(set) var described: [DescribedRoute] = []

    /// Who may have an answer.
    let gate: Gate
    private let answers: AnswerRoom
    private let work: BackgroundWork
    private let faults: FaultLog
    private let largeBodies = SerialGate()

    /// No routes yet.
    init(of hub: Hub) {
        (gate, answers, work, faults) = (hub.gate, hub.answers, hub.work, hub.faults)
    }

    /// Checks every request before its route is looked for.
    mutating func require(_ check: @escaping @Sendable (Request) throws(Problem) -> Void) { router.require(check) }

    /// Adds fields to the answers to `OPTIONS`.
    mutating func answerOptions(
        with fields: @escaping @Sendable (Request, String) -> [(name: String, value: String)]
    ) {
        router.answerOptions(with: fields)
    }

    /// Adds a route for those who have what it needs.
    mutating func on(
        _ method: Method,
        _ path: String,
        _ operation: Operation,
        needs need: Need,
        _ handler: @escaping Router.Handler
    ) {
        on(DescribedRoute(method: method, path: path, operation: operation, need: need), handler)
    }

    /// The same for a route that was put together before.
    mutating func on(_ route: DescribedRoute, _ handler: @escaping Router.Handler) {
        describe(route)
        router.on(
            route.method,
            route.path,
            parameters: route.operation.query,
            admission: { [gate] request, handler throws(Problem) in try gate.admit(request, route.need, to: handler) },
            Self.bounded(handler, by: route.operation.body?.limit)
        )
    }

    /// Adds a route whose answer takes time: the connection is suspended, and the handler runs on the concurrency pool.
    ///
    /// - Parameter inTurn: whether an answer that can be made again waits while many others are being made: one may be large.
    mutating func onAsync(
        _ method: Method,
        _ path: String,
        _ operation: Operation,
        needs need: Need,
        inTurn: Bool = true,
        _ handler: @escaping @Sendable (Request) async throws -> Response
    ) {
        on(method, path, operation, needs: need, later(inTurn: inTurn, handler))
    }

    /// The same for an answer about which much is to be found out: its handler takes its turn when that is done.
    mutating func onInquiry(
        _ method: Method,
        _ path: String,
        _ operation: Operation,
        needs need: Need,
        _ handler: @escaping @Sendable (Request, Inquiry) async throws -> Response
    ) {
        on(method, path, operation, needs: need, later(handler))
    }

    /// The same for a route of the program's own, which nothing is said of: it takes any query parameter.
    mutating func onAsync(
        _ method: Method,
        _ path: String,
        needs need: Need,
        _ handler: @escaping @Sendable (Request) async throws -> Response
    ) {
        router.on(
            method,
            path,
            parameters: .any,
            admission: { [gate] request, handler throws(Problem) in try gate.admit(request, need, to: handler) },
            later(handler)
        )
    }

    /// The handler for bodies that are no larger than what the route takes: others do not wait for their turn.
    private static func bounded(_ handler: @escaping Router.Handler, by limit: Int?) -> Router.Handler {
        guard let limit else { return handler }
        return { request throws(Problem) in
            guard request.body.count <= limit else { throw Problem.tooLarge(limit: limit) }
            return try handler(request)
        }
    }

    /// Suspends the connection while a handler runs on the concurrency pool.
    private func later(
        inTurn: Bool = true,
        _ handler: @escaping @Sendable (Request) async throws -> Response
    ) -> Router.Handler {
        later { request, inquiry in
            // What changes something is done once, and its answer is small.
            request.method.isSafe && inTurn
                ? try await inquiry.answer { try await handler(request) } : try await handler(request)
        }
    }

    private func later(_ handler: @escaping @Sendable (Request, Inquiry) async throws -> Response) -> Router.Handler {
        { [answers, work, faults] request in
            .later { responder in
                work.start(for: responder) {
                    do {
                        let response = try await handler(request, Inquiry(responder: responder, answers: answers))
                        responder.respond(response)
                    } catch {
                        responder.respond(Problem(error, request: request, faults: faults))
                    }
                }
            }
        }
    }

    /// The handler on the concurrency pool if a large body is to be taken apart: while an event loop does so with 10,000 events,
    /// its streams would hear nothing. One after the other, so that others' work on the pool goes on meanwhile.
    func aside(_ handler: @escaping Router.Handler) -> Router.Handler {
        { [largeBodies, work] request throws(Problem) in
            guard request.body.count > Self.largeBody, PostFormat.isTakenApart(request) else {
                return try handler(request)
            }
            return .later { responder in
                work.start(for: responder) {
                    do throws(Problem) {
                        let reply = try await largeBodies.run { () throws(Problem) in try handler(request) }
                        if case .later(let begin) = reply { begin(responder) } else { responder.reply { reply } }
                    } catch {
                        responder.respond(error)
                    }
                }
            }
        }
    }

    /// Some hundred events, which take a loop a few milliseconds.
    private static let largeBody = 16 * 1024

    /// Where `GET` requests go whose path no route has: they are for everybody. It is described as the root.
    ///
    /// - Parameter path: what such requests are counted under, such as `/{file}`.
    mutating func otherwise(_ path: String, _ operation: Operation, _ handler: @escaping Router.Handler) {
        describe(DescribedRoute(method: .get, path: "/", operation: operation, need: .nothing))
        router.otherwise(path, parameters: operation.query, handler)
    }

    private mutating func describe(_ route: DescribedRoute) {
        precondition(
            route.isWhole,
            "The description of \(route.method) \(route.path) names other segments."
        )
        described.append(route)
    }
}

/// A route and what is to be said of it.
struct DescribedRoute: Sendable {
    let method: Method
    let path: String
    let operation: Operation
    let need: Need

    /// Whether what is described are the segments of its path.
    fileprivate var isWhole: Bool {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
            == operation.segments
    }
}
