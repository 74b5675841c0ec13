import Crypto
import EventLog
import JSON

/// A digest of what makes a post (SHA-256), by which a key is found to be used for something else. The trace context is
/// not part of it: it differs each time a post is repeated.
enum Fingerprint {
    /// Of one event.
    static func of(_ draft: EventDraft, _ context: CloudEventContext? = nil) -> [UInt8] {
        var digest = Digest()
        digest.add(draft.type)
        digest.add(draft.contentType)
        digest.add(draft.data)
        for (name, value) in (context?.attributes ?? [:]).sorted(by: { $0.key < $1.key }) {
            digest.add(name)
            switch value {
            case .string(let text): digest.add(text)
            default: digest.add(value.bytes)
            }
        }
        return digest.bytes
    }

    /// Of several, as they were posted.
    static func of(batch body: [UInt8], contentType: String?, type: String?) -> [UInt8] {
        var digest = Digest()
        digest.add(type)
        digest.add(contentType)
        digest.add(body)
        return digest.bytes
    }

    /// Parts that cannot run into each other: before each stands its length.
    private struct Digest {
        private var function = SHA256()

        var bytes: [UInt8] { Array(function.finalize()) }

        mutating func add(_ text: String?) {
            // The length of what is not there is that of nothing that is.
            if let text { add(Array(text.utf8)) } else { add(length: .max) }
        }

        mutating func add(_ bytes: [UInt8]) {
            add(length: UInt64(bytes.count))
            function.update(data: bytes)
        }

        private mutating func add(length: UInt64) {
            function.update(data: (0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * UInt64($0))) })
        }
    }
}
