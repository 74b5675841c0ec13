import CMicroHTTPD
import Notation

extension HeaderFields {
    /// Copies the fields of a request out of libmicrohttpd's memory.
    ///
    /// - Parameters:
    ///   - own: how many fields come first that are the server's.
    ///   - start: where in that memory the first field must begin; nil if that is not to be checked.
    ///   - end: where the head ends.
    /// - Returns: whether the fields lie there as they came: see ``RequestHead``.
    mutating func read(
        from connection: OpaquePointer,
        skipping own: Int,
        between start: UnsafeRawPointer?,
        and end: UnsafeRawPointer?
    ) -> Bool {
        var walk = unsafe FieldWalk(next: start, own: own)
        if let start = unsafe start, let end = unsafe end { walk.fields.reserve(bytes: max(unsafe end - start, 0)) }
        unsafe withUnsafeMutablePointer(to: &walk) { walk in
            _ = unsafe MHD_get_connection_values_n(
                connection,
                .HEADER_KIND,
                { context, _, name, nameSize, value, valueSize in
                    guard let walk = unsafe context?.assumingMemoryBound(to: FieldWalk.self) else { return .YES }
                    unsafe walk.pointee.take(
                        UnsafeRawBufferPointer(start: name, count: nameSize),
                        UnsafeRawBufferPointer(start: value, count: valueSize)
                    )
                    return .YES
                },
                walk
            )
        }
        self = walk.fields
        guard let next = unsafe walk.next, let end = unsafe end else { return true }
        // Only the empty line follows.
        return unsafe walk.isInPlace && next + 2 == end
    }

    /// What libmicrohttpd keeps beside the head itself: a record for each field, two and a copy for the cookie of our own.
    var bookkeeping: Int { count * 64 + 144 }
}

/// Goes from field to field through the memory that libmicrohttpd parses in place.
@safe
private struct FieldWalk {
    var fields = HeaderFields()
    /// Where the next field must begin; nil if nothing is to be checked.
    var next: UnsafeRawPointer?
    var isInPlace = true
    /// How many fields are still to be passed over.
    private var own: Int

    init(next: UnsafeRawPointer?, own: Int) {
        unsafe self.next = unsafe next
        self.own = own
    }

    mutating func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard own == 0 else {
            own -= 1
            return
        }
        if unsafe next != nil, isInPlace { unsafe check(name, value) }
        var text = unsafe value[...]
        // The blanks after a value are none of it (RFC 9112 section 5); those before it libmicrohttpd leaves out. It compares
        // a transfer coding with them, and waits for the end of a connection whose body it takes for one without chunks.
        while let last = unsafe text.last, last == 0x20 || last == 0x09, unsafe !isCoding(name) {
            unsafe text.removeLast()
        }
        unsafe fields.append(name: name, value: text)
    }

    private func isCoding(_ name: UnsafeRawBufferPointer) -> Bool {
        unsafe name.isEqual(to: "transfer-encoding")
    }

    private mutating func check(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        isInPlace = false
        guard let nameStart = name.baseAddress, unsafe nameStart == next, let start = value.baseAddress
        else { return }
        // A NUL stands where the colon was.
        let blanks = unsafe start - (nameStart + name.count + 1)
        guard blanks >= 0, blanks < 1 << 20 else { return }
        for index in 0..<blanks {
            // Within the head: the name lies where it must, and libmicrohttpd found the value behind it.
            let byte = unsafe (start - 1 - index).load(as: UInt8.self)
            guard byte == 0x20 || byte == 0x09 else { return }
        }
        unsafe next = unsafe start + value.count + 2
        isInPlace = true
    }
}
