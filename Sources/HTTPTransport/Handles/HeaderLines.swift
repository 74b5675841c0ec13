import CCurl
import Notation

/// The header lines of one request as C strings, with a `curl_slist` threaded through them.
///
/// libcurl reads the list during the transfer and copies nothing (`CURLOPT_HTTPHEADER(3)`). All lines share their memory,
/// where `curl_slist_append` would allocate twice per line.
/// Safe: the memory is valid until `deinit`, and replaced only in `makeList`, when no transfer reads it.
@safe
package struct HeaderLines: ~Copyable {
    private var bytes: [UInt8] = []
    private var starts: [Int] = []
    private var list = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// No lines.
    package init() {
        bytes.reserveCapacity(768)
        starts.reserveCapacity(24)
    }

    deinit {
        unsafe list.deallocate()
    }

    /// Adds `name: value`, where the name is a token.
    ///
    /// - Parameters:
    ///   - value: its control bytes are percent-encoded, since somebody else may have chosen it.
    ///   - encodingPercent: whether `%` is too, so that the value can be decoded.
    package mutating func append(_ name: StaticString, _ value: String, encodingPercent: Bool = false) {
        starts.append(bytes.count)
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        append(value: value, encodingPercent: encodingPercent)
    }

    /// The same for a name that is known at run time only. What a token cannot have is percent-encoded in it as well: a line
    /// break would begin another field, or another request.
    ///
    /// - Parameter name: one character at least, or there is no line.
    package mutating func append(_ name: String, _ value: String) {
        guard !name.isEmpty else { return }
        starts.append(bytes.count)
        PercentEncoding.append(name, but: .token, to: &bytes)
        append(value: value)
    }

    private mutating func append(value: String, encodingPercent: Bool = false) {
        if value.isEmpty {
            // How libcurl is told of a header without a value; with a colon it would leave it out (CURLOPT_HTTPHEADER(3)).
            bytes.append(UInt8(ascii: ";"))
            bytes.append(0)
            return
        }
        bytes.append(UInt8(ascii: ":"))
        bytes.append(UInt8(ascii: " "))
        PercentEncoding.append(value, but: encodingPercent ? .fieldText : .anyButControls, to: &bytes)
        bytes.append(0)
    }

    /// Adds `name:`, which tells libcurl to leave out a header it would add itself.
    package mutating func suppress(_ name: StaticString) {
        starts.append(bytes.count)
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: ":"))
        bytes.append(0)
    }

    /// Adds complete lines, each ended by a NUL.
    package mutating func append(lines: [UInt8]) {
        var start = bytes.count
        bytes.append(contentsOf: lines)
        while start < bytes.count {
            starts.append(start)
            while bytes[start] != 0 { start += 1 }
            start += 1
        }
    }

    /// The list of all lines, valid until the next call; nil if there are none.
    mutating func makeList() -> UnsafeMutablePointer<curl_slist>? {
        unsafe list.deallocate()
        let nodesSize = unsafe starts.count * MemoryLayout<curl_slist>.stride
        unsafe list = .allocate(byteCount: nodesSize + bytes.count, alignment: MemoryLayout<curl_slist>.alignment)
        guard !starts.isEmpty, let memory = unsafe list.baseAddress else { return nil }
        unsafe bytes.withUnsafeBytes { source in
            unsafe UnsafeMutableRawBufferPointer(rebasing: list[nodesSize...]).copyMemory(from: source)
        }
        let nodes = unsafe memory.bindMemory(to: curl_slist.self, capacity: starts.count)
        for (index, start) in starts.enumerated() {
            let line = unsafe (memory + nodesSize + start).assumingMemoryBound(to: CChar.self)
            let next = unsafe index + 1 < starts.count ? nodes + index + 1 : nil
            unsafe (nodes + index).initialize(to: curl_slist(data: line, next: next))
        }
        return unsafe nodes
    }
}
