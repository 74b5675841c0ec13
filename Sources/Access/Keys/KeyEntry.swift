import EventLog

/// An API key as the credentials file has it: all but the key.
struct KeyEntry: Sendable, Equatable {
    let name: String
    let hash: CredentialHash
    let grant: Grant
    let expires: Timestamp?

    var principal: Principal {
        Principal(name: name, id: .key(hash), grant: grant, expires: expires, evidence: .key(hash))
    }
}
