extension Router {
    /// Answers a request that the process makes itself, without a connection: the same routes give the same answers.
    ///
    /// What ``require(_:)`` checks is of requests that come over the network, and is left out.
    ///
    /// - Parameters:
    ///   - target: the path and the query, encoded as in a request.
    ///   - identity: who asks.
    /// - Returns: the answer; 406 `not-acceptable` where it would be a stream.
    public func answer(
        _ method: Method,
        _ target: String,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        as identity: any AnyObject & Sendable
    ) async -> Response {
        let id = RequestID.next()
        do throws(Problem) {
            var fields = HeaderFields()
            for (name, value) in headers { fields.append(name: name.utf8, value: value.utf8) }
            if let problem = fields.marksProblem { throw problem }
            var request = Request(method: method, target: try Target(target), headers: fields, body: body, id: id)
            request.identity = identity
            let endpoint = endpoint(of: &request)
            return await Self.finish(try dispatch(request, to: endpoint), id)
        } catch {
            return error.response(instance: id)
        }
    }

    private static func finish(_ reply: Reply, _ id: String) async -> Response {
        var reply = reply
        while true {
            switch reply {
            case .now(let response): return response
            case .stream(_, let stream, _):
                stream.close(inOrder: true)
                return noStream.response(instance: id)
            case .headOfStream: return noStream.response(instance: id)
            case .later(let start):
                let answer = PendingAnswer()
                await withCheckedContinuation { continuation in
                    start(Responder(answer: answer, for: .process { continuation.resume() }, requestID: id))
                }
                guard let next = answer.take() else { return noStream.response(instance: id) }
                reply = next
            }
        }
    }

    private static var noStream: Problem {
        Problem(.notAcceptable, code: "not-acceptable", detail: "A stream needs a connection.")
    }
}
