/// An error as it reaches the client: problem details for HTTP APIs (RFC 9457), with a stable `code`.
public struct Problem: Error, Sendable {
    /// The response's status.
    public var status: Status

    /// Stable and documented, in kebab case, such as `topic-invalid`; also the fragment of `type`.
    public var code: String

    /// What went wrong this time and what to do about it.
    public var detail: String

    /// The JSON Pointer (RFC 6901) of the member to blame.
    public var pointer: String?

    /// The query parameter or header field to blame.
    public var parameter: String?

    /// Further response header fields, such as `Allow` or `Retry-After`.
    public var headers: [(name: String, value: String)]

    /// Further members of the document.
    public var members: [(name: String, value: String)]

    /// A problem; what is not given is left out of the body.
    public init(
        _ status: Status,
        code: String,
        detail: String,
        pointer: String? = nil,
        parameter: String? = nil,
        headers: [(name: String, value: String)] = [],
        members: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.pointer = pointer
        self.parameter = parameter
        self.headers = headers
        self.members = members
    }

    /// The response that carries the problem.
    ///
    /// - Parameter instance: identifies this occurrence: the request's id, as it stands in the log.
    public func response(instance: String) -> Response {
        var response = Response(
            status,
            json: document(instance: instance, below: ""),
            mediaType: "application/problem+json",
            headers: [("Cache-Control", "no-store")] + headers
        )
        response.problem = (self, instance)
        return response
    }

    fileprivate func document(instance: String, below publicURL: String) -> [UInt8] {
        var json = JSONText()
        json.member("type", "\(publicURL)/errors#\(code)")
        json.member("title", status.reason)
        json.member("status", status.code)
        json.member("code", code)
        json.member("detail", detail)
        json.member("instance", "urn:clarion:request:\(instance)")
        if let pointer { json.member("pointer", pointer) }
        if let parameter { json.member("parameter", parameter) }
        for (name, value) in members { json.member(name, value) }
        return json.object()
    }
}

extension Response {
    /// Has the `type` of a problem lead below the URL that its server is known by.
    mutating func leadProblem(below publicURL: String) {
        guard !publicURL.isEmpty, let (problem, instance) = problem else { return }
        body = problem.document(instance: instance, below: publicURL) + [UInt8(ascii: "\n")]
    }
}
