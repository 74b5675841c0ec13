import Glibc
import HTTPTransport

/// What comes during a transfer, always on its transport's thread.
extension Transfer: TransferOwner {
    func permits(address: UnsafeRawBufferPointer) -> Bool {
        switch unsafe decision(for: address) {
        case .permitted:
            lastAddress = unsafe Array(address)
            return true
        case .blocked(let reason):
            refusal = reason
            return false
        }
    }

    private func decision(for address: UnsafeRawBufferPointer) -> EgressGuard.Decision {
        // The operator's own choice, and the only thing that is dialled then.
        if options.configuration.proxy != nil { return .permitted }
        guard let start = unsafe address.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
            return .blocked(reason: "there is no address")
        }
        return unsafe options.egressGuard.decision(for: start, length: address.count)
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
