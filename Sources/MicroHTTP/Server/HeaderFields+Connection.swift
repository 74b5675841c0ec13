import CMicroHTTPD

extension HeaderFields {
    /// Copies the fields of a request out of libmicrohttpd's memory.
    mutating func read(from connection: OpaquePointer) {
        unsafe withUnsafeMutablePointer(to: &self) { fields in
            _ = unsafe MHD_get_connection_values_n(
                connection,
                .HEADER_KIND,
                { context, _, name, nameSize, value, valueSize in
                    guard let fields = unsafe context?.assumingMemoryBound(to: HeaderFields.self) else { return .YES }
                    unsafe fields.pointee.append(
                        name: UnsafeRawBufferPointer(start: name, count: nameSize),
                        value: UnsafeRawBufferPointer(start: value, count: valueSize)
                    )
                    return .YES
                },
                fields
            )
        }
    }

    /// What libmicrohttpd keeps beside the head itself: a record for each field, a copy of the first cookie field, and
    /// a record for each cookie in it.
    var bookkeeping: Int {
        let record = 64
        let cookies = self["Cookie"] ?? ""
        return (count + cookies.utf8.count { $0 == UInt8(ascii: ";") } + 1) * record + cookies.utf8.count
    }

    /// Why the body's length is ambiguous, if it is. Libmicrohttpd takes the first field it finds; a proxy in front
    /// that takes another would see a different next request (RFC 9112 sections 6.1 and 6.3: request smuggling).
    var framingProblem: Problem? {
        let codings = values(of: "Transfer-Encoding")
        if codings.isEmpty {
            guard Set(values(of: "Content-Length")).count > 1 else { return nil }
            return Problem(
                .badRequest,
                code: "framing-invalid",
                detail: "The Content-Length fields differ.",
                parameter: "Content-Length"
            )
        }
        guard codings.count == 1, codings[0].lowercased() == "chunked", !contains("Content-Length") else {
            return Problem(
                .badRequest,
                code: "framing-invalid",
                detail: "The only transfer coding taken is chunked, and not together with Content-Length.",
                parameter: "Transfer-Encoding"
            )
        }
        return nil
    }
}
