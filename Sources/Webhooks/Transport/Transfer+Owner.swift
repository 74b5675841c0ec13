import HTTPTransport
import Posix

/// What comes during a transfer, always on its transport's thread.
extension Transfer: TransferOwner {
    func permits(address: UnsafeRawBufferPointer) -> Bool {
        let url = request.destination.endpoint.url
        if let reason = options.refusal(of: url, at: unsafe IPAddress(socketAddress: address)) {
            refusal = reason
            return false
        }
        lastAddress = unsafe Array(address)
        return true
    }

    /// Asked again: between the schedule's question and this a process may have been stopped for a while.
    func isWanted() -> Bool {
        isWithdrawn = request.purpose == .delivery && !store.isOnDuty(for: request.destination.endpoint.id)
        return !isWithdrawn
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
        if space > 0 { unsafe responsePrefix.append(contentsOf: body.prefix(space)) }
        return responseLength <= maxResponseLength ? .taken : .refused
    }
}
