import Crypto
import FoundationEssentials

/// The key under which webhooks' credentials are sealed in the log: AES-256 in Galois/Counter Mode (NIST SP 800-38D). And those
/// before it, which open what was sealed with them until it is sealed anew.
///
/// Each sealing has a nonce of its own, 96 random bits, and is bound to the observer it is of: what was moved to another
/// row does not open. Printed forms show nothing of the key.
public struct MasterKey: Sendable {
    /// The newest first: it seals.
    private let keys: [SymmetricKey]

    /// What sealed text begins with, so that another cipher can follow this one.
    private static let prefix = "aes-256-gcm:"

    /// Reads the base64 of 32 bytes, such as `openssl rand -base64 32` prints. Former keys may follow it, at most seven, each after
    /// white space, such as in a line of its own.
    ///
    /// - Throws: ``HubError`` with code `master-key-invalid`; the message does not repeat the text.
    public init(base64 text: String) throws(HubError) {
        let keys = text.split(whereSeparator: \.isWhitespace).map { Data(base64Encoded: String($0)) }
        guard 1...8 ~= keys.count, keys.allSatisfy({ $0?.count == 32 }) else {
            throw HubError(
                code: HubError.masterKeyInvalid,
                message: """
                    a master key is the base64 of 32 bytes, such as `openssl rand -base64 32` prints; \
                    up to seven former ones may follow it
                    """
            )
        }
        self.keys = keys.compactMap { $0 }.map { SymmetricKey(data: $0) }
    }

    /// - Throws: ``HubError`` with code `internal` if the system has no randomness.
    func seal(_ bytes: [UInt8], for id: ObserverID) throws(HubError) -> String {
        let sealed: Data?
        do {
            sealed = try AES.GCM.seal(bytes, using: keys[0], authenticating: Self.context(id)).combined
        } catch {
            throw HubError(code: "internal", message: "the credentials of \(id) cannot be sealed", cause: error)
        }
        // `combined` is nil for nonces of other lengths only.
        guard let sealed else { throw HubError(code: "internal", message: "the credentials of \(id) cannot be sealed") }
        return Self.prefix + sealed.base64EncodedString()
    }

    /// - Throws: ``HubError`` with code `master-key-wrong` if another key sealed it, or for another observer, or if it was
    ///   changed.
    func open(_ sealed: String, for id: ObserverID) throws(HubError) -> [UInt8] {
        guard sealed.hasPrefix(Self.prefix),
            let data = Data(base64Encoded: String(sealed.dropFirst(Self.prefix.count))),
            let box = try? AES.GCM.SealedBox(combined: data)
        else { throw .masterKeyWrong(id) }
        for key in keys {
            let bytes = try? AES.GCM.open(box, using: key, authenticating: Self.context(id))
            if let bytes { return [UInt8](bytes) }
        }
        throw .masterKeyWrong(id)
    }

    private static func context(_ id: ObserverID) -> [UInt8] {
        Array("clarion credentials of observer \(id)".utf8)
    }
}

extension MasterKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `[redacted]`.
    public var description: String { "[redacted]" }

    /// The same.
    public var debugDescription: String { description }

    /// No children, so that `dump` reveals nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HubError {
    /// The text is no master key.
    public static let masterKeyInvalid = "master-key-invalid"

    /// The log holds credentials that are sealed, and no master key was given.
    public static let masterKeyMissing = "master-key-missing"

    /// The log holds credentials that the given master key does not open.
    public static let masterKeyWrong = "master-key-wrong"

    static func masterKeyMissing(_ id: ObserverID) -> HubError {
        HubError(
            code: masterKeyMissing,
            message: """
                the secrets of webhook \(id) are encrypted and there is no master key: give it in CLARION_MASTER_KEY \
                or --master-key-file
                """
        )
    }

    static func masterKeyWrong(_ id: ObserverID) -> HubError {
        HubError(
            code: masterKeyWrong,
            message: """
                the master key does not open the secrets of webhook \(id): it is not the one they were encrypted with, \
                or they were changed
                """
        )
    }
}
