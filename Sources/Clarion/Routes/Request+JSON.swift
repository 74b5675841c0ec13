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
        guard let value = JSONValue(parsing: body) else {
            throw Problem(.badRequest, code: "body-invalid", detail: "The body is not valid JSON.")
        }
        return value
    }
}
