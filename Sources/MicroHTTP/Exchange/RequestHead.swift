import CMicroHTTPD
import Glibc
import Notation

/// Where a request's head lies in libmicrohttpd's memory, and whether it lies there as it came.
///
/// Libmicrohttpd 0.9.75 parses in place and reads leniently: it skips blanks, takes a bare line feed for a line break,
/// ends a value and a target at a NUL, and appends a folded line to the *name* of its field. Each of these shows as
/// something that does not lie where it must. A proxy in front that reads such a head otherwise sees other requests
/// than we do (RFC 9112 section 11.2, request smuggling), so none of them is carried out. Version 1.0 parses otherwise,
/// and refuses all that by itself (`MHD_OPTION_STRICT_FOR_CLIENT`).
@safe
struct RequestHead {
    private let method: UnsafePointer<CChar>
    private let version: UnsafePointer<CChar>
    /// Whether the places are to be checked.
    static let isParsedInPlace = clarion_mhd_major_version() < 1

    init(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) {
        unsafe self.method = unsafe method
        unsafe self.version = unsafe version
    }

    /// Whether it is of HTTP/1.1, or of a later minor version, which is read as that (RFC 9110 section 2.5). Libmicrohttpd
    /// refuses all but 1.0 to 1.9.
    var isHTTP11: Bool { unsafe strcmp(version, "HTTP/1.0") != 0 }

    /// Whether the method is a token (RFC 9110 section 9.1).
    var hasMethod: Bool {
        let bytes = unsafe UnsafeRawBufferPointer(start: method, count: strlen(method))
        return unsafe !bytes.isEmpty && bytes.allSatisfy(\.isTokenCharacter)
    }

    /// The method, if it is a token.
    var parsedMethod: Method? { hasMethod ? unsafe Method(String(cString: method)) : nil }

    var isHead: Bool { unsafe strcmp(method, "HEAD") == 0 }

    /// Reads the fields that follow the request line.
    ///
    /// - Parameters:
    ///   - own: how many fields come first that are the server's.
    ///   - target: where the target began, and how long it was: libmicrohttpd has changed it since.
    ///   - fields: gets them.
    /// - Returns: whether all of the head lies where it must.
    func read(
        from connection: OpaquePointer,
        skipping own: Int,
        target: (start: UInt, count: Int),
        into fields: inout HeaderFields
    ) -> Bool {
        guard Self.isParsedInPlace else {
            return unsafe fields.read(from: connection, skipping: own, between: nil, and: nil)
        }
        let start = unsafe UnsafeRawPointer(method)
        let lineEnd = unsafe UnsafeRawPointer(version) + strlen(version)
        let areInPlace = unsafe fields.read(
            from: connection,
            skipping: own,
            between: lineEnd + 2,
            and: start + clarion_mhd_head_size(connection)
        )
        let methodEnd = unsafe UInt(bitPattern: start) + UInt(strlen(method))
        return unsafe areInPlace && methodEnd + 1 == target.start
            && target.start + UInt(target.count) + 1 == UInt(bitPattern: version)
    }
}
