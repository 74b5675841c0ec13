import JSON
import MicroHTTP

extension Request {
    /// The body as JSON; what `curl -d` says of it by itself, a form, is let pass.
    ///
    /// - Throws: 415 `media-type-unsupported`, 400 `body-invalid`.
    func json() throws(Problem) -> JSONValue {
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

extension Problem {
    /// What a client is told of a body, or a part of it, that is not taken as JSON.
    init(_ fault: JSONFault, in part: String = "The body", pointer: String? = nil) {
        self.init(.badRequest, code: "body-invalid", detail: "\(part) \(fault.predicate).", pointer: pointer)
    }
}
