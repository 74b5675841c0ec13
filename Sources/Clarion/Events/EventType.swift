import MicroHTTP
import Notation

/// The rule of event types: they become a line of a stream and a header of a delivery.
enum EventType {
    /// 1 to 128 characters without line breaks or NUL.
    static func isValid(_ text: String) -> Bool {
        (1...128).contains(text.unicodeScalars.count) && !text.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }
    }

    /// The type that a request gives its event, if any. The header field wins.
    ///
    /// - Throws: `event-type-invalid`, also for a parameter that the field makes irrelevant: a typo does not pass silently.
    static func of(_ request: Request) throws(Problem) -> String? {
        let parameter = try request.target.query["type"].map { text throws(Problem) in
            try validate(text, parameter: "type")
        }
        guard let bytes = request.headers.bytes(of: "Event-Type") else { return parameter }
        let isOne = request.headers.count(of: "Event-Type") == 1
        return try validate(isOne ? String(utf8: bytes) : nil, parameter: "Event-Type")
    }

    /// - Parameter parameter: where the text stood.
    /// - Throws: `event-type-invalid`, also for what is no text.
    @discardableResult
    static func validate(_ text: String?, parameter: String) throws(Problem) -> String {
        guard let text, isValid(text) else {
            throw Problem(
                .badRequest,
                code: "event-type-invalid",
                detail: "An event has one type at most, of 1 to 128 characters, in UTF-8, without line break or NUL.",
                parameter: parameter
            )
        }
        return text
    }
}
