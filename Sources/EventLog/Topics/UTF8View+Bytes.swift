import Foundation

// Swift compares and hashes strings by canonical equivalence; names of topics are bytes. Both are done here over the
// string's own storage, because they run for every event.

extension Collection<UInt8> {
    func hasSameBytes(as other: some Collection<UInt8>) -> Bool {
        // `unsafe`: the buffers are read inside the closures that lend them, and nowhere else.
        let answer = withContiguousStorageIfAvailable { mine in
            other.withContiguousStorageIfAvailable { theirs in
                guard mine.count == theirs.count else { return false }
                guard let one = mine.baseAddress, let other = theirs.baseAddress else { return mine.isEmpty }
                return unsafe memcmp(one, other, mine.count) == 0
            }
        }
        return (answer ?? nil) ?? elementsEqual(other)
    }

    /// Feeds the bytes, and a byte that UTF-8 never has, so that neighbours in a larger key stay apart.
    func hashBytes(into hasher: inout Hasher) {
        // `unsafe`: the buffer is read inside the closure that lends it, and nowhere else.
        let done: Void? = withContiguousStorageIfAvailable { bytes in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        if done == nil { for byte in self { hasher.combine(byte) } }
        hasher.combine(0xFF as UInt8)
    }
}
