import JSON
import MicroHTTP
import Notation

extension Request {
    /// The body as JSON; what `curl -d` says of it by itself, a form, is let pass.
    ///
    /// - Throws: 415 `media-type-unsupported`, 400 `body-invalid`.
    func json() throws(Problem) -> JSONValue {
        try json(where: ContentType.isJSON, else: .mediaTypeUnsupported("Send application/json."))
    }

    /// The same of a JSON merge patch (RFC 7396). Other JSON may be another kind of patch, whose members mean something else.
    func mergePatch() throws(Problem) -> JSONValue {
        let types = ContentType.patches.joined(separator: ", ")
        var refusal = Problem.mediaTypeUnsupported("Send a JSON merge patch, as one of \(types).")
        refusal.headers = [("Accept-Patch", types)]
        return try json(where: { ContentType.patches.contains(ContentType.essence($0)) }, else: refusal)
    }

    private func json(
        where isTaken: (String) -> Bool,
        else refusal: @autoclosure () -> Problem
    ) throws(Problem) -> JSONValue {
        try requireUncoded()
        if let type = headers["Content-Type"], !isTaken(type),
            ContentType.essence(type) != "application/x-www-form-urlencoded"
        {
            throw refusal()
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
        guard let coding = headers["Content-Encoding"], !coding.isEmpty, !coding.utf8.isEqual(to: "identity") else {
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
