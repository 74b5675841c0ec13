/// The API keys, found by hash in a time that tells nothing of the hashes: every one is compared, whole.
struct KeyTable: Sendable {
    /// Who each key stands for.
    private let principals: [Principal]
    /// The hashes alone, close together: a thousand take about a microsecond.
    private let hashes: [CredentialHash]

    init(_ entries: [KeyEntry]) {
        principals = entries.map(\.principal)
        hashes = entries.map(\.hash)
    }

    func principal(_ hash: CredentialHash) -> Principal? { place(of: hash).map { principals[$0] } }

    private func place(of hash: CredentialHash) -> Int? {
        var found = -1
        for place in hashes.indices {
            let difference = hashes[place].difference(from: hash)
            // All ones if nothing differs, otherwise zero, without a branch.
            let mask = Int(truncatingIfNeeded: (difference | (0 &- difference)) >> 63) - 1
            found ^= (found ^ place) & mask
        }
        return found < 0 ? nil : found
    }
}
