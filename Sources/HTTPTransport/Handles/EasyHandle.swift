package import CCurl

/// A libcurl easy handle with the memory that its options point into, freed with the value.
///
/// Safe: libcurl holds the addresses of the error's text, of the header lines and of the body, which live until the handle
/// is gone, and that of its owner, see ``serve(_:write:header:)``.
@safe
package struct EasyHandle: ~Copyable {
    package let pointer: UnsafeMutableRawPointer
    private let errorText = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var body = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// The header lines of the request, which ``setLines()`` gives to libcurl.
    package var lines = HeaderLines()

    /// Fails only when libcurl is out of memory.
    package init?() {
        guard let pointer = unsafe curl_easy_init() else {
            unsafe errorText.deallocate()
            return nil
        }
        unsafe self.pointer = pointer
        unsafe errorText[0] = 0
        unsafe clarion_easy_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText.baseAddress)
    }

    deinit {
        unsafe curl_easy_cleanup(pointer)
        unsafe errorText.deallocate()
        unsafe body.deallocate()
    }

    /// Has libcurl call back with the owner's address, which it holds without owning it.
    ///
    /// - Returns: the address.
    @discardableResult
    package func serve(
        _ owner: AnyObject,
        write: @escaping curl_write_callback,
        header: @escaping curl_write_callback
    ) -> UnsafeMutableRawPointer {
        let owner = unsafe Unmanaged.passUnretained(owner).toOpaque()
        unsafe clarion_easy_set_pointer(pointer, CURLOPT_PRIVATE, owner)
        unsafe clarion_easy_set_write_function(pointer, write)
        unsafe clarion_easy_set_pointer(pointer, CURLOPT_WRITEDATA, owner)
        unsafe clarion_easy_set_header_function(pointer, header)
        unsafe clarion_easy_set_pointer(pointer, CURLOPT_HEADERDATA, owner)
        return unsafe owner
    }

    /// The owner of a handle that libcurl hands back, which has to be of that type.
    package static func owner<Owner: AnyObject>(of easy: UnsafeMutableRawPointer, as type: Owner.Type) -> Owner? {
        var owner: UnsafeMutableRawPointer? = nil
        guard unsafe clarion_easy_get_pointer(easy, CURLINFO_PRIVATE, &owner) == CURLE_OK, let owner = unsafe owner
        else { return nil }
        return unsafe Unmanaged<Owner>.fromOpaque(owner).takeUnretainedValue()
    }

    package func set(_ option: CURLoption, _ value: Int) {
        unsafe clarion_easy_set_long(pointer, option, value)
    }

    /// - Parameter value: libcurl copies it; nil is no value.
    package func set(_ option: CURLoption, _ value: String?) {
        unsafe clarion_easy_set_string(pointer, option, value)
    }

    package mutating func setLines() {
        unsafe clarion_easy_set_list(pointer, CURLOPT_HTTPHEADER, lines.list())
    }

    /// Has the request post a copy of these bytes.
    package mutating func post(_ bytes: [UInt8]) {
        // At least one byte, since a null pointer would make libcurl ask a read callback for the body.
        unsafe body.deallocate()
        unsafe body = .allocate(byteCount: max(bytes.count, 1), alignment: 1)
        unsafe bytes.withUnsafeBytes { unsafe body.copyMemory(from: $0) }
        unsafe clarion_easy_set_offset(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
        unsafe clarion_easy_set_pointer(pointer, CURLOPT_POSTFIELDS, body.baseAddress)
    }

    /// libcurl's sentence about the last failure, or its general one for the code.
    package func failureText(_ code: CURLcode) -> String {
        guard let text = unsafe errorText.baseAddress, unsafe text.pointee != 0 else {
            return unsafe String(cString: curl_easy_strerror(code))
        }
        return unsafe String(cString: text)
    }
}
