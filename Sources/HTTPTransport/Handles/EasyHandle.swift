import CCurl

/// A libcurl easy handle with the memory that its options point into, freed with the value.
///
/// Safe: libcurl holds the addresses of what it shares with its owner, of the header lines and of the body, which live until
/// the handle is gone. It holds the owner without owning it: whoever has added a handle to a multi handle keeps the owner
/// until it was removed, and callbacks run only inside calls on that.
@safe
package struct EasyHandle: ~Copyable {
    let pointer: UnsafeMutableRawPointer
    let shared: UnsafeMutablePointer<Shared>
    private var body = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// The header lines of the request, which ``setLines()`` gives to libcurl.
    package var lines = HeaderLines()

    /// Fails only when libcurl is out of memory.
    package init?() {
        guard let pointer = unsafe curl_easy_init() else { return nil }
        unsafe self.init(pointer, Shared())
        setCallbacks()
        // Of HTTP/2 libcurl 7.88 reads frames for as long as they come, and meanwhile serves no other transfer.
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // Where a server sends its clients, a credential would go along.
        set(CURLOPT_FOLLOWLOCATION, 0)
        // No alarm(2), no signal handlers: there are other threads.
        set(CURLOPT_NOSIGNAL, 1)
        // Without it a name lookup that outlasts its timeout is joined, which would halt this thread and every other
        // transfer with it. With it the resolver thread is left to end by itself (CURLOPT_QUICK_EXIT(3), curl #9147).
        set(CURLOPT_QUICK_EXIT, 1)
        // A proxy's answer to CONNECT is none of the server's.
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    }

    /// One with the same options as another, which has no lines and no body yet, nor an owner. It costs less than to set
    /// them all again. Fails only when libcurl is out of memory.
    package init?(copying other: borrowing EasyHandle) {
        guard let pointer = unsafe curl_easy_duphandle(other.pointer) else { return nil }
        unsafe self.init(pointer, Shared(isJudged: other.shared.pointee.isJudged))
    }

    private init(_ pointer: UnsafeMutableRawPointer, _ shared: Shared) {
        unsafe self.pointer = pointer
        unsafe self.shared = .allocate(capacity: 1)
        unsafe self.shared.initialize(to: shared)
        unsafe shared.errorText.initialize(to: 0)
        unsafe clarion_easy_set_pointer(pointer, CURLOPT_ERRORBUFFER, shared.errorText)
        let options = [
            CURLOPT_PRIVATE, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_OPENSOCKETDATA, CURLOPT_XFERINFODATA,
            CURLOPT_PREREQDATA,
        ]
        for option in options {
            unsafe clarion_easy_set_pointer(pointer, option, self.shared)
        }
    }

    deinit {
        unsafe curl_easy_cleanup(pointer)
        unsafe shared.pointee.errorText.deallocate()
        unsafe shared.deallocate()
        unsafe body.deallocate()
    }

    func set(_ option: CURLoption, _ value: Int) {
        unsafe clarion_easy_set_long(pointer, option, value)
    }

    /// - Parameter value: libcurl copies it; nil is no value.
    func set(_ option: CURLoption, _ value: String?) {
        unsafe clarion_easy_set_string(pointer, option, value)
    }

    package mutating func setLines() {
        unsafe clarion_easy_set_list(pointer, CURLOPT_HTTPHEADER, lines.makeList())
    }

    /// Has the request post a copy of these bytes.
    ///
    /// - Parameters:
    ///   - prefix: is put before them in memory, and not sent: who signs both needs them side by side.
    ///   - read: is given both.
    package mutating func post<Result>(
        _ bytes: [UInt8],
        after prefix: String,
        _ read: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let start = prefix.utf8.count
        // At least one byte, since a null pointer would make libcurl ask a read callback for the body.
        unsafe body.deallocate()
        unsafe body = .allocate(byteCount: start + max(bytes.count, 1), alignment: 1)
        unsafe body.copyBytes(from: prefix.utf8)
        unsafe UnsafeMutableRawBufferPointer(rebasing: body[start...]).copyBytes(from: bytes)
        unsafe clarion_easy_set_offset(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
        unsafe clarion_easy_set_pointer(pointer, CURLOPT_POSTFIELDS, body.baseAddress.map { unsafe $0 + start })
        return unsafe read(UnsafeRawBufferPointer(rebasing: body[..<(start + bytes.count)]))
    }
}
