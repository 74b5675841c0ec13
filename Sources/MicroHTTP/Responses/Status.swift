/// A response's status code (RFC 9110 section 15).
public struct Status: Hashable, Sendable {
    /// The three digits, as a number.
    public let code: Int

    /// A status of any code from 200 to 599.
    public init(_ code: Int) {
        self.code = code
    }

    /// 200
    public static let ok = Status(200)
    /// 201
    public static let created = Status(201)
    /// 202
    public static let accepted = Status(202)
    /// 204
    public static let noContent = Status(204)
    /// 304
    public static let notModified = Status(304)
    /// 400
    public static let badRequest = Status(400)
    /// 401
    public static let unauthorized = Status(401)
    /// 403
    public static let forbidden = Status(403)
    /// 404
    public static let notFound = Status(404)
    /// 405
    public static let methodNotAllowed = Status(405)
    /// 406
    public static let notAcceptable = Status(406)
    /// 409
    public static let conflict = Status(409)
    /// 412
    public static let preconditionFailed = Status(412)
    /// 413
    public static let contentTooLarge = Status(413)
    /// 414
    public static let uriTooLong = Status(414)
    /// 415
    public static let unsupportedMediaType = Status(415)
    /// 421
    public static let misdirected = Status(421)
    /// 422
    public static let unprocessable = Status(422)
    /// 429
    public static let tooManyRequests = Status(429)
    /// 431
    public static let headersTooLarge = Status(431)
    /// 500
    public static let internalError = Status(500)
    /// 503
    public static let unavailable = Status(503)
    /// 505
    public static let versionUnsupported = Status(505)
    /// 507
    public static let insufficientStorage = Status(507)
    /// 508
    public static let loopDetected = Status(508)

    /// The registered phrase of the codes a hub answers with: the title of a problem.
    public var reason: String {
        switch code {
        case 400: "Bad request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not found"
        case 405: "Method not allowed"
        case 406: "Not acceptable"
        case 409: "Conflict"
        case 412: "Precondition failed"
        case 413: "Content too large"
        case 414: "URI too long"
        case 415: "Unsupported media type"
        case 421: "Misdirected request"
        case 422: "Unprocessable content"
        case 429: "Too many requests"
        case 431: "Request header fields too large"
        case 500: "Internal server error"
        case 503: "Service unavailable"
        case 505: "HTTP version not supported"
        case 507: "Insufficient storage"
        case 508: "Loop detected"
        default: "Status \(code)"
        }
    }
}
