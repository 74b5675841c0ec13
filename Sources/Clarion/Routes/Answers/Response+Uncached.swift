import JSON
import MicroHTTP

extension Response {
    /// A document that no cache keeps: the next may be another.
    static func uncached(_ document: JSONValue, status: Status = .ok) -> Response {
        Response(status, json: document.bytes, headers: [("Cache-Control", "no-store")])
    }
}
