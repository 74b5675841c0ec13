/// How a token may be signed (RFC 7518, section 3.1; RFC 8037). `none` is not among them.
enum SigningAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"

    /// By the name in a token, a key or a setting. `EdDSA` goes by a second one since RFC 9864, that of the only curve whose keys
    /// are taken.
    init?(named name: String) {
        self.init(rawValue: name == "Ed25519" ? "EdDSA" : name)
    }

    /// Whether whoever can verify can also sign.
    var isShared: Bool {
        switch self {
        case .hs256, .hs384, .hs512: true
        default: false
        }
    }
}
