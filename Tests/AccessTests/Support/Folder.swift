import Crypto
import Foundation
import JSON

@testable import Access

/// A folder of its own for one test, removed when the test lets go of it.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "access-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func url(_ name: String) -> URL { URL(filePath: "\(path)/\(name)", directoryHint: .notDirectory) }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: url(name), options: .atomic)
    }

    func text(_ name: String) throws -> String { String(decoding: try Data(contentsOf: url(name)), as: UTF8.self) }

    /// Writes a file of shared secret.
    func writeSecret(_ bytes: [UInt8] = Array(0..<64), to name: String = "hmac.key") throws {
        try write(Data(bytes).base64EncodedString(options: .lineLength64Characters) + "\n", to: name)
    }
}

/// The SHA-256 of a key as the credentials file has it.
func sha256(_ key: String) -> String { CredentialHash(of: key).hexadecimal }

/// A key pair of Ed25519 that signs tokens, and its public half in a key set.
struct KeyPair {
    let key = Curve25519.Signing.PrivateKey()
    let id: String

    var jwk: String {
        let x = Base64URL.encode(key.publicKey.rawRepresentation)
        return #"{"kty": "OKP", "crv": "Ed25519", "x": "\#(x)", "kid": "\#(id)"}"#
    }

    static func set(_ pairs: [KeyPair]) -> String { #"{"keys": [\#(pairs.map(\.jwk).joined(separator: ", "))]}"# }

    /// A token with these claims, by default one that never expires.
    func token(_ claims: String = "{}") throws -> String {
        let header = #"{"alg": "EdDSA", "kid": "\#(id)"}"#
        let signed = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
        return "\(signed).\(Base64URL.encode(try key.signature(for: Data(signed.utf8))))"
    }
}
