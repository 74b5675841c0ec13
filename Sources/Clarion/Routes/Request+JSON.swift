import JSON
import MicroHTTP

extension Request {
    /// The body as JSON; what `curl -d` says of it by itself, a form, is let pass.
    ///
    /// - Throws: 415 `media-type-unsupported`, 400 `body-invalid`.
    func json() throws(Problem) -> JSONValue {
        try requireUncoded()
        if let type = headers["Content-Type"], !ContentType.isJSON(type),
            ContentType.essence(type) != "application/x-www-form-urlencoded"
        {
            throw Problem(
                .unsupportedMediaType,
                code: "media-type-unsupported",
                detail: "Send application/json.",
                parameter: "Content-Type"
            )
        }
        do throws(JSONFault) {
            return try JSONValue(document: body)
        } catch {
            throw Problem(error)
        }
    }
}

extension Request {
    /// Refuses a body that would be kept as what it is not: no coding is undone here, and none is kept with an event
    /// (RFC 9110 sections 8.4 and 12.5.3).
    ///
    /// - Throws: 415 `media-type-unsupported`.
    func requireUncoded() throws(Problem) {
        guard let coding = headers["Content-Encoding"], coding.lowercased() != "identity", !coding.isEmpty else {
            return
        }
        throw Problem(
            .unsupportedMediaType,
            code: "media-type-unsupported",
            detail: "Send the body without \"Content-Encoding\".",
            parameter: "Content-Encoding",
            headers: [("Accept-Encoding", "identity")]
        )
    }
}

extension Problem {
    /// What a client is told of a body, or a part of it, that is not taken as JSON.
    init(_ fault: JSONFault, in part: String = "The body", pointer: String? = nil) {
        self.init(.badRequest, code: "body-invalid", detail: "\(part) \(fault.predicate).", pointer: pointer)
    }
}
