import Glibc
import HTTPTransport

/// What comes during a transfer, always on its transport's thread.
extension Transfer: TransferOwner {
    func permits(address: UnsafeRawBufferPointer) -> Bool {
        if let reason = unsafe reason(against: address) {
            refusal = reason
            return false
        }
        lastAddress = unsafe Array(address)
        return true
    }

    private func reason(against address: UnsafeRawBufferPointer) -> String? {
        guard let start = unsafe address.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
            return "there is no address"
        }
        let url = request.destination.endpoint.url
        return unsafe options.refusal(of: url, at: start, length: address.count)
    }

    func lacksSocket(_ error: Int32) {
        if Self.passes(error) { socketError = error }
    }

    func receive(line: UnsafeRawBufferPointer) {
        if unsafe line.starts(with: "HTTP/".utf8) {
            isHeadComplete = false
        } else if unsafe line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n") {
            isHeadComplete = true
        }
    }

    /// Counts the body and keeps its beginning, with any credential that begins in it.
    func receive(body: UnsafeRawBufferPointer) -> BodyAnswer {
        responseLength += body.count
        let kept = keptResponseLength + request.destination.credentials.longest
        let space = kept - responsePrefix.count
        if space > 0 {
            unsafe responsePrefix.append(contentsOf: body.prefix(space))
        }
        return responseLength <= maxResponseLength ? .taken : .refused
    }
}
