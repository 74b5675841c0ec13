import Testing

@testable import MicroHTTP

@Suite struct RouterTests {
    private struct Even: PathParameter {
        let number: Int

        init(pathSegment: String) throws(Problem) {
            guard let number = Int(pathSegment), number.isMultiple(of: 2) else {
                throw Problem(.badRequest, code: "odd", detail: "Not an even number.")
            }
            self.number = number
        }
    }

    private let everybody: Router.Admission = { request, handler throws(Problem) in try handler(request) }

    /// Answers each route with its own name and what its parameters matched.
    private func router(otherwise: Bool = false) -> Router {
        var router = Router()
        router.on(.get, "/", parameters: [], admission: everybody) { _ in .now(Response(.ok, body: Array("root".utf8)))
        }
        router.on(.get, "/topics", parameters: [], admission: everybody) { _ in
            .now(Response(.ok, body: Array("topics".utf8)))
        }
        router.on(.get, "/topics/{topic}/events", parameters: [.repeatable("topic"), "since"], admission: everybody) {
            request throws(Problem) in
            .now(Response(.ok, body: Array("events of \(try request.parameter("topic", as: String.self))".utf8)))
        }
        router.on(.post, "/topics/{topic}/events", parameters: [], admission: everybody) { _ in .now(Response(.created))
        }
        router.on(.get, "/topics/{topic}/events/{id}", parameters: [], admission: everybody) {
            request throws(Problem) in
            let topic: String = try request.parameter("topic")
            let id: String = try request.parameter("id")
            return .now(Response(.ok, body: Array("\(id) of \(topic)".utf8)))
        }
        router.on(.get, "/topics/special/value", parameters: [], admission: everybody) { _ in
            .now(Response(.ok, body: Array("special".utf8)))
        }
        router.on(.get, "/even/{number}", parameters: [], admission: everybody) { request throws(Problem) in
            .now(Response(.ok, body: Array("\(try request.parameter("number", as: Even.self).number)".utf8)))
        }
        router.on(.options, "/own", parameters: [], admission: everybody) { _ in
            .now(Response(.ok, body: Array("own options".utf8)))
        }
        if otherwise {
            router.otherwise("/{file}", parameters: ["v"]) { _ in .now(Response(.ok, body: Array("file".utf8))) }
        }
        return router
    }

    private func answer(_ method: Method, _ target: String, otherwise: Bool = false) throws -> Response {
        let request = Request(
            method: method,
            target: try Target(target),
            headers: HeaderFields(),
            body: [],
            remoteAddress: nil,
            id: "id"
        )
        guard case .now(let response) = router(otherwise: otherwise).respond(to: request) else {
            throw Problem(.internalError, code: "unexpected", detail: "Not answered at once.")
        }
        return response
    }

    private func text(_ method: Method, _ target: String, otherwise: Bool = false) throws -> String {
        String(decoding: try answer(method, target, otherwise: otherwise).body, as: UTF8.self)
    }

    @Test func `finds the route and what its segments matched`() throws {
        #expect(try text(.get, "/") == "root")
        #expect(try text(.get, "/topics/") == "topics")
        #expect(try text(.get, "/topics/a%2Fb/events?since=y") == "events of a/b")
        #expect(try text(.get, "/topics/t/events/1") == "1 of t")
        #expect(try answer(.post, "/topics/t/events").status == .created)
    }

    @Test func `a literal segment wins, and is given up where it leads nowhere`() throws {
        #expect(try text(.get, "/topics/special/value") == "special")
        #expect(try text(.get, "/topics/special/events") == "events of special")
    }

    @Test(arguments: ["/nothing", "/topics/t", "/topics/t/events/1/more", "/topics//", "//topics"])
    func `a path without a route is unknown`(target: String) throws {
        let response = try answer(.get, target)
        #expect(response.status == .notFound)
        #expect(String(decoding: response.body, as: UTF8.self).contains("\"code\":\"route-unknown\""))
    }

    @Test func `an empty segment is a segment`() throws {
        #expect(try text(.get, "/topics//events") == "events of ")
    }

    @Test(arguments: [Method.delete, .put, Method("BREW"), Method("get"), Method("")])
    func `a known path names what it allows`(method: Method) throws {
        let response = try answer(method, "/topics/t/events")
        #expect(response.status == .methodNotAllowed)
        #expect(response.headers.contains { $0 == ("Allow", "GET, HEAD, OPTIONS, POST") })
        #expect(String(decoding: response.body, as: UTF8.self).contains("\"code\":\"method-not-allowed\""))
    }

    @Test func `options are told, unless the route has its own`() throws {
        let response = try answer(.options, "/topics/t/events")
        #expect(response.status == .noContent)
        #expect(response.headers.contains { $0 == ("Allow", "GET, HEAD, OPTIONS, POST") })
        #expect(try text(.options, "/own") == "own options")
        #expect(try answer(.head, "/own").status == .methodNotAllowed)
    }

    @Test func `a parameter's own problem is the answer`() throws {
        #expect(try text(.get, "/even/4") == "4")
        let response = try answer(.get, "/even/3")
        #expect(response.status == .badRequest)
        #expect(String(decoding: response.body, as: UTF8.self).contains("\"code\":\"odd\""))
    }

    @Test func `the fallback takes reads of paths that no route has, and refuses other methods there`() throws {
        #expect(try text(.get, "/nothing", otherwise: true) == "file")
        #expect(try text(.head, "/nothing", otherwise: true) == "file")
        #expect(try answer(.post, "/nothing", otherwise: true).status == .methodNotAllowed)
        #expect(try answer(.options, "/nothing", otherwise: true).status == .noContent)
        #expect(try answer(.post, "/nothing").status == .notFound)
        #expect(try answer(.put, "/topics", otherwise: true).status == .methodNotAllowed)
    }

    @Test(arguments: [
        ("/topics/t/events?sinse=1", "sinse"), ("/topics?limit=1", "limit"), ("/?x", "x"), ("/topics/t/events?=1", ""),
        ("/topics/t/events?since=1&Since=1", "Since"), ("/topics/t/events?_=1&x=2", "x"),
    ])
    func `a query parameter that the route does not take is refused by its name`(target: String, name: String) throws {
        for method in [Method.get, .head] {
            let response = try answer(method, target)
            #expect(response.status == .badRequest)
            let body = String(decoding: response.body, as: UTF8.self)
            #expect(body.contains("\"code\":\"parameter-unknown\""))
            #expect(body.contains("\"parameter\":\"\(name)\""))
        }
    }

    @Test func `the refusal names the nearest parameter, and all`() throws {
        let body = try text(.get, "/topics/t/events?sinse=1")
        #expect(body.contains("Did you mean \\\"since\\\"? Known ones: since, topic."))
    }

    @Test(arguments: ["/?_", "/?_=1&_=2&_dc=3", "/topics/t/events?since=1&_=1&topic=a&topic=b"])
    func `names that begin with an underscore are ignored, and repeatable ones may repeat`(target: String) throws {
        #expect(try answer(.get, target).status == .ok)
    }

    @Test func `a parameter that counts once is refused the second time`() throws {
        let response = try answer(.get, "/topics/t/events?since=1&since=1")
        #expect(response.status == .badRequest)
        #expect(String(decoding: response.body, as: UTF8.self).contains("\"code\":\"parameter-invalid\""))
    }

    @Test func `path and method are judged before the query`() throws {
        #expect(try answer(.get, "/nothing?x=1").status == .notFound)
        #expect(try answer(.delete, "/topics/t/events?x=1").status == .methodNotAllowed)
        #expect(try answer(.options, "/topics/t/events?x=1").status == .noContent)
        #expect(try answer(.post, "/nothing?x=1", otherwise: true).status == .methodNotAllowed)
        #expect(try answer(.get, "/nothing?x=1", otherwise: true).status == .badRequest)
        #expect(try answer(.get, "/nothing?v=1", otherwise: true).status == .ok)
    }
}
