import Access
public import EventLog
import MicroHTTP
import Notation

/// A route of the embedding program's own, beside the hub's: it passes the same checks of host, origin, credentials and rate.
///
/// ```swift
/// configuration.routes = [
///     HubRoute("GET", "/shop/{id}", requires: .subscribe, on: try TopicPattern("orders.*")) { request in
///         HubAnswer(text: "order \(request["id"] ?? "")")
///     }
/// ]
/// ```
///
/// A handler that needs the hub captures it weakly: the hub keeps its routes for as long as it lives.
///
/// It is not in `/openapi.json`, and takes any query parameter.
///
/// It may receive the webhooks of hubs, this one among them. What its handler then posts on a hub of the process, in its task or
/// in one that it starts, counts how many deliveries there were before, as a post over HTTP with `Clarion-Hop` does: a webhook
/// that leads back to itself ends with 508 `loop-detected`. A handler that hands the event on in another way sends `Clarion-Hop`
/// on itself.
public struct HubRoute: Sendable {
    /// What somebody may do on a topic.
    public enum Right: Sendable {
        /// Post on it.
        case publish
        /// Hear it.
        case subscribe
        /// Change its settings and its observers.
        case manage
    }

    let method: Method
    let path: String
    let need: Need
    let handler: @Sendable (OwnRequest) async throws -> HubAnswer

    /// A route.
    ///
    /// - Parameters:
    ///   - method: such as `GET`, which answers `HEAD`, too.
    ///   - path: segments separated by `/`, not percent-encoded; `{name}` matches any one segment, but for the first, which is
    ///     one that no route of the hub begins with. ``Hub/start(_:logger:)`` refuses what no request can match.
    ///   - right: what a client must be allowed, where the hub knows credentials; nil for everybody.
    ///   - pattern: on which topics; nil for all there can be.
    ///   - handler: runs on Swift's concurrency pool. What it throws is logged, and answers 500. It must not wait for
    ///     ``Hub/shutdown(grace:)``, which waits for its answer: `Task { await hub.shutdown() }` does not.
    public init(
        _ method: String,
        _ path: String,
        requires right: Right? = nil,
        on pattern: TopicPattern? = nil,
        _ handler: @escaping @Sendable (OwnRequest) async throws -> HubAnswer
    ) {
        self.method = Method(method)
        self.path = path
        self.handler = handler
        need = .ofOwnRoute(right?.access, on: pattern ?? .everything)
    }
}

extension HubRoute.Right {
    fileprivate var access: Right {
        switch self {
        case .publish: .publish
        case .subscribe: .subscribe
        case .manage: .manage
        }
    }
}

extension HubRoute {
    /// A route that no request reaches is a slip.
    ///
    /// - Throws: ``HubError`` with code `route-invalid`.
    fileprivate func check() throws(HubError) {
        let token = method.description.utf8
        guard !token.isEmpty, token.allSatisfy(\.isTokenCharacter), method != .head else {
            throw invalid("\"\(method)\" is no method of a route. `GET` answers `HEAD`, too.")
        }
        guard path.utf8.allSatisfy({ !"?#%".utf8.contains($0) }) else {
            throw invalid("A path has no query and no fragment, and is not percent-encoded.")
        }
        let segments = path.split(separator: "/")
        guard !path.contains("//") else {
            throw invalid("The path has a segment without a character.")
        }
        let names = segments.filter { $0.hasPrefix("{") && $0.hasSuffix("}") }
        guard Set(names).count == names.count else { throw invalid("Two segments have one name.") }
    }

    private func invalid(_ reason: String) -> HubError {
        HubError(code: HubError.routeInvalid, message: "\"\(method) \(path)\" is no route. \(reason)")
    }
}

extension Routes {
    /// Adds the program's own routes.
    ///
    /// - Throws: ``HubError`` with code `route-invalid` for what no request can match, and with `route-taken` for a path that
    ///   begins as one of the hub's does, or with no name, and for one that differs from another of the program's in the names
    ///   of its segments alone, or not at all.
    mutating func add(_ routes: [HubRoute]) throws(HubError) {
        let taken = Set(described.compactMap { $0.path.split(separator: "/").first } + ["openapi.json", "docs"])
        var paths = OwnPaths()
        for route in routes {
            try route.check()
            let first = route.path.split(separator: "/").first
            guard let first, !first.hasPrefix("{"), !taken.contains(first) else {
                throw HubError(
                    code: HubError.routeTaken,
                    message: "\"\(route.path)\" begins as one of the hub's own routes does, or with no name."
                )
            }
            guard paths.take(route.method, route.path) else {
                throw HubError(
                    code: HubError.routeTaken,
                    message: "\"\(route.path)\" is there twice, or differs from another in a segment's name alone."
                )
            }
            onAsync(route.method, route.path, needs: route.need) { request in
                let answer = try await HopCount.$ofTask.withValue(try HopCount.of(request)) {
                    try await route.handler(OwnRequest(request))
                }
                try answer.check()
                return Response(Status(answer.status), headers: answer.headers, body: answer.body)
            }
        }
    }
}

extension HubAnswer {
    /// - Throws: ``HubError`` with code `value-invalid` for what cannot be sent as it is.
    fileprivate func check() throws(HubError) {
        guard 200...599 ~= status else {
            throw HubError(code: HubError.valueInvalid, message: "\(status) is no status of an answer.")
        }
        for (name, value) in headers {
            guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter),
                value.utf8.allSatisfy({ ![0x00, 0x0A, 0x0D].contains($0) })
            else {
                throw HubError(code: HubError.valueInvalid, message: "The field \"\(name)\" cannot be sent.")
            }
        }
    }
}

/// The paths of the program's own routes, which would otherwise hide one another.
private struct OwnPaths {
    /// By the path, in which no segment has a name, up to the segment that has this one.
    private var names: [String: Substring] = [:]

    /// Whether it is another one than those before.
    mutating func take(_ method: Method, _ path: String) -> Bool {
        var place = ""
        for segment in path.split(separator: "/") {
            let hasName = segment.hasPrefix("{") && segment.hasSuffix("}")
            place += hasName ? "/{}" : "/\(segment)"
            if hasName, let other = names.updateValue(segment, forKey: place), other != segment { return false }
        }
        return names.updateValue("", forKey: "\(method) \(place)") == nil
    }
}
