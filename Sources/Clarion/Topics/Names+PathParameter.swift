public import EventLog
public import MicroHTTP
import Notation

extension Topic: PathParameter {
    /// - Throws: `topic-invalid`.
    public init(pathSegment: String) throws(Problem) {
        do {
            try self.init(pathSegment)
        } catch {
            throw Problem(.badRequest, code: error.code, detail: error.message, parameter: "topic")
        }
    }
}

extension TopicPattern: PathParameter {
    /// - Throws: `topic-invalid` or `pattern-invalid`.
    public init(pathSegment: String) throws(Problem) {
        do {
            try self.init(pathSegment)
        } catch {
            throw Problem(.badRequest, code: error.code, detail: error.message, parameter: "topic")
        }
    }
}

extension Topic {
    /// The topic as one path segment (RFC 3986 section 3.3).
    var pathSegment: String { PercentEncoding.encode(name) }
}
