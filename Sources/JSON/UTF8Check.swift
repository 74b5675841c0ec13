/// Whether bytes are UTF-8, without making a string of them when they are plain ASCII, as most events are.
package enum UTF8Check {
    package static func isValid(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
    }
}
