import EventLog
import MicroHTTP

/// The idempotency key that a client gave a post: `Idempotency-Key`, or `?key=`; the header wins.
struct PostKey {
    /// The header field or query parameter that it stood in.
    let parameter: String
    private let text: String

    /// - Returns: nil if there is none.
    /// - Throws: `idempotency-key-invalid`, also for a parameter that the field makes irrelevant.
    init?(_ request: Request) throws(Problem) {
        let inQuery = request.target.query["key"]
        if let inQuery { try Self.validate(inQuery, parameter: "key") }
        if let text = request.headers["Idempotency-Key"] {
            // Of two keys others might take the other.
            guard request.headers.count(of: "Idempotency-Key") == 1 else { throw Self.invalid("Idempotency-Key") }
            try Self.validate(text, parameter: "Idempotency-Key")
            (self.text, parameter) = (text, "Idempotency-Key")
        } else if let inQuery {
            (text, parameter) = (inQuery, "key")
        } else {
            return nil
        }
    }

    /// - Throws: `idempotency-key-invalid`.
    static func validate(_ text: String, parameter: String) throws(Problem) {
        guard (1...255).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw invalid(parameter)
        }
    }

    private static func invalid(_ parameter: String) -> Problem {
        Problem(
            .badRequest,
            code: "idempotency-key-invalid",
            detail: "An idempotency key has 1 to 255 printable ASCII characters, and there is one.",
            parameter: parameter
        )
    }

    /// The drafts with their keys: the first has the client's own, the others their place after it, which no client's key
    /// can have.
    func given(to drafts: [EventDraft], fingerprint: [UInt8]) -> [EventDraft] {
        drafts.enumerated().map { index, draft in
            var draft = draft
            let text = index == 0 ? text : "\(text)\n\(index)"
            draft.idempotencyKey = IdempotencyKey(text, fingerprint: fingerprint)
            return draft
        }
    }
}
