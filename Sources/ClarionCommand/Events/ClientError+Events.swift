import ClarionClient

extension ClientError {
    /// Whether a refusal is about what was posted, so that nothing of it was stored, and part of it or another form may be taken.
    var isOfEvents: Bool { status.map { [400, 413, 422].contains($0) } ?? isOfDocument }

    /// Whether the client has refused a document of several, before anything was sent.
    var isOfDocument: Bool { code == Self.argumentInvalid && pointer != nil }
}
