public import EventLog
public import MicroHTTP
import Notation

extension ObserverID {
    /// An id of that text.
    ///
    /// - Parameters:
    ///   - text: 1 to 64 characters.
    ///   - parameter: where in a request the text stood, to be named if it is to blame.
    /// - Throws: `observer-id-invalid` for any other text.
    public init(_ text: String, parameter: String? = nil) throws(Problem) {
        let isValid =
            (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "_-".utf8.contains($0) }
        guard isValid else {
            throw Problem(
                .badRequest,
                code: "observer-id-invalid",
                detail: "An observer id has 1 to 64 characters of A-Z, a-z, 0-9, \"_\" and \"-\".",
                parameter: parameter
            )
        }
        self.init(rawValue: text)
    }

    /// A new one: 80 random bits after a prefix that tells the kind.
    static func generate(_ kind: ObserverKind) -> ObserverID {
        ObserverID(rawValue: kind.prefix + randomText())
    }

    /// 80 random bits.
    static func randomText() -> String {
        let digits = Array("0123456789abcdefghjkmnpqrstvwxyz")
        return String((0..<16).map { _ in digits[Int.random(in: 0..<32)] })
    }
}

extension ObserverID: PathParameter {
    /// - Throws: `observer-id-invalid`.
    public init(pathSegment: String) throws(Problem) {
        try self.init(pathSegment, parameter: "id")
    }
}

/// What listens behind an observer.
public enum ObserverKind: String, Sendable, CaseIterable {
    /// A client of server-sent events.
    case stream
    /// A service behind a URL.
    case webhook
    /// A Swift object in the process.
    case object

    fileprivate var prefix: String {
        switch self {
        case .stream: "str_"
        case .webhook: "whk_"
        case .object: "obj_"
        }
    }
}
