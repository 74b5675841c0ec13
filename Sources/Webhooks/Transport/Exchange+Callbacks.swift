import CCurl
import Glibc

/// What libcurl calls during a transfer, always on the transport thread. Nothing here throws, awaits or blocks.
extension Exchange {
    /// `CURLOPT_OPENSOCKETFUNCTION(3)`: called with each address libcurl is about to connect to, literal or resolved.
    /// `CURL_SOCKET_BAD` makes it try the next address, or give up with `CURLE_COULDNT_CONNECT`.
    nonisolated static let openSocketFunction: curl_opensocket_callback = { pointer, _, address in
        guard let pointer = unsafe pointer, let address = unsafe address else { return CURL_SOCKET_BAD }
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
        return unsafe exchange.openSocket(for: address)
    }

    /// `CURLOPT_HEADERFUNCTION(3)`: called with each complete line of a head, also with those before the last one (1xx,
    /// a tunnel's) and with trailers.
    nonisolated static let headerFunction: curl_write_callback = { bytes, size, count, pointer in
        guard let pointer = unsafe pointer, let bytes = unsafe bytes else { return 0 }
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
        unsafe exchange.receive(line: UnsafeRawBufferPointer(start: bytes, count: size * count))
        return size * count
    }

    /// `CURLOPT_WRITEFUNCTION(3)`: any count but the one given ends the transfer with `CURLE_WRITE_ERROR`.
    nonisolated static let writeFunction: curl_write_callback = { bytes, size, count, pointer in
        guard let pointer = unsafe pointer, let bytes = unsafe bytes, size * count > 0 else { return 0 }
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
        let received = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe exchange.receive(received) ? size * count : 0
    }

    private func openSocket(for address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        switch unsafe decision(for: address) {
        case .permitted:
            hasDialled = true
            let bytes = unsafe UnsafeRawBufferPointer(
                start: clarion_sockaddr(address),
                count: Int(address.pointee.addrlen)
            )
            lastAddress = unsafe Array(bytes)
            let socket = unsafe clarion_open_socket(address, UInt32(options.totalTimeout))
            if socket == CURL_SOCKET_BAD, Self.passes(errno) { socketError = errno }
            return socket
        case .blocked(let reason):
            refusal = reason
            return CURL_SOCKET_BAD
        }
    }

    private func decision(for address: UnsafeMutablePointer<curl_sockaddr>) -> EgressGuard.Decision {
        // The operator's own choice, and the only thing that is dialled then.
        if options.proxy != nil { return .permitted }
        let length = Int(unsafe address.pointee.addrlen)
        return unsafe options.egressGuard.decision(for: clarion_sockaddr(address), length: length)
    }

    private func receive(line: UnsafeRawBufferPointer) {
        if unsafe line.starts(with: "HTTP/".utf8) {
            isHeadComplete = false
        } else if unsafe line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n") {
            isHeadComplete = true
        }
    }

    /// Counts the body and keeps its beginning, with any credential that begins in it; `false` once it is too long.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        responseLength += bytes.count
        let kept = keptResponseLength + (request?.target.credentials.longest ?? 0)
        let room = kept - responsePrefix.count
        if room > 0 {
            unsafe responsePrefix.append(contentsOf: bytes.prefix(room))
        }
        return responseLength <= maxResponseLength
    }
}
