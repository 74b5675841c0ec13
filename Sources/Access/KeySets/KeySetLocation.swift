import FoundationEssentials
import Notation

/// Where a key set is: the member `jwks`.
enum KeySetLocation: Sendable, Hashable {
    case file(String)
    case remote(URL)

    /// - Parameter folder: what a relative path begins at.
    /// - Throws: what is wrong with the URL, as a sentence.
    init(_ text: String, relativeTo folder: String) throws(MemberFault) {
        let advice = "It must be an https:, http: or file: URL, such as https://id.example.com/jwks.json."
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased() else {
            throw MemberFault(path: "", message: advice)
        }
        switch scheme {
        case "file":
            let path = url.path(percentEncoded: false)
            guard !path.isEmpty, url.host() ?? "" == "" || url.host() == "localhost" else {
                throw MemberFault(path: "", message: "A file: URL must name a file of this machine.")
            }
            self = .file(FilePaths.path(path, relativeTo: folder))
        case "https", "http":
            guard let host = url.host(), !host.isEmpty else { throw MemberFault(path: "", message: advice) }
            guard url.user() == nil, url.password() == nil, url.fragment() == nil else {
                throw MemberFault(path: "", message: "It must have no user, no password and no fragment.")
            }
            self = .remote(url)
        default: throw MemberFault(path: "", message: advice)
        }
    }

    /// The text for people and logs, in which no value of a query is: it may be a credential.
    var description: String {
        switch self {
        case .file(let path): path
        case .remote(let url): url.absoluteString.withoutQueryValues
        }
    }
}
