import MicroHTTP
import Notation

/// The credential that a request shows: in `Authorization: Bearer` (RFC 6750 section 2.1), in the cookie `clarion_token`,
/// or, since an `EventSource` sets no fields, in the query parameter `access_token`.
struct ShownCredential {
    static let parameter = "access_token"
    static let cookie = "clarion_token"

    let text: String
    let place: Place

    enum Place {
        case field
        /// Any page can have a browser show what it likes.
        case target
        /// A browser sends it by itself, whichever page has it ask.
        case cookie
    }

    /// - Returns: nil if there is none.
    /// - Throws: 400 `credential-ambiguous`; 401 `credential-invalid` for another scheme than `Bearer`.
    init?(_ request: Request) throws(Problem) {
        let fields = request.headers.count(of: "Authorization")
        let parameters =
            request.target.query.parameters.isEmpty ? [] : request.target.query.values(of: Self.parameter)
        let cookies = request.headers.contains("Cookie") ? Self.cookies(request) : []
        guard fields + parameters.count + cookies.count <= 1 else { throw .credentialAmbiguous }
        if let field = request.headers.bytes(of: "Authorization") {
            (text, place) = (try Self.bearer(field), .field)
        } else if let parameter = parameters.first {
            (text, place) = (parameter, .target)
        } else if let cookie = cookies.first {
            (text, place) = (cookie, .cookie)
        } else {
            return nil
        }
    }

    /// Whether a request that was admitted shows its credential in the cookie.
    static func isCookie(in request: Request) -> Bool { (try? ShownCredential(request))?.place == .cookie }

    private static func bearer(_ field: ArraySlice<UInt8>) throws(Problem) -> String {
        let scheme = "bearer "
        guard field.prefix(scheme.utf8.count).isEqual(to: scheme) else {
            throw .credentialInvalid("The field Authorization does not begin with \"Bearer \".")
        }
        let credential = field.dropFirst(scheme.utf8.count).drop { $0 == UInt8(ascii: " ") }
        return String(decoding: credential, as: UTF8.self)
    }

    /// The values of the cookie in every `Cookie` field (RFC 6265 section 4.2.1).
    private static func cookies(_ request: Request) -> [String] {
        request.headers.values(of: "Cookie").flatMap { field in
            field.utf8.split(separator: UInt8(ascii: ";")).compactMap { pair -> String? in
                let pair = pair.drop { $0 == UInt8(ascii: " ") }
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                    pair[..<equals].elementsEqual(cookie.utf8)
                else { return nil }
                var value = pair[pair.index(after: equals)...]
                while value.last == UInt8(ascii: " ") { value.removeLast() }
                if value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") {
                    value = value.dropFirst().dropLast()
                }
                return String(value)
            }
        }
    }
}
