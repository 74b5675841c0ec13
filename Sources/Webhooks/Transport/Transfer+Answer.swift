import Glibc
import HTTPTransport

/// Reading the result of a finished transfer.
extension Transfer {
    /// What came back, without the credentials that were sent.
    func answer(_ ending: TransferEnding) -> AttemptAnswer {
        var answer = verdict(ending)
        trace?.end(answer)
        trace = nil
        let credentials = request.destination.credentials
        answer.responsePrefix = credentials.masked(responsePrefix, limit: keptResponseLength)
        answer.message = answer.message.map { String(decoding: credentials.masked(Array($0.utf8)), as: UTF8.self) }
        return answer
    }

    private func verdict(_ ending: TransferEnding) -> AttemptAnswer {
        var answer = AttemptAnswer(timings: timings)
        func fail(_ failure: FailureClass, _ message: String) -> AttemptAnswer {
            (answer.failure, answer.message) = (failure, message)
            return answer
        }
        let status = isHeadComplete ? easy.status : 0
        if isHeadComplete { answer.status = status }
        // These mean what they mean, however the body ends.
        if status == 429 || status == 503 { answer.retryAfter = easy.field("Retry-After").flatMap(RetryAfter.init) }
        if ending.isComplete && isHeadComplete || status == 410 {
            if case .handshake = request.purpose {
                answer.allowedOrigin = easy.field("WebHook-Allowed-Origin")
                answer.allowedRate = easy.field("WebHook-Allowed-Rate")
            }
            return (200...299).contains(status) ? answer : fail(.status, "the endpoint answered \(status)")
        }
        if let refusal, lastAddress.isEmpty { return fail(.egressBlocked, refusal) }
        if responseLength > maxResponseLength {
            return fail(.responseTooLarge, "the response body is longer than \(maxResponseLength) bytes")
        }
        switch ending.kind {
        case .complete: return fail(.connectionReset, "the head of the response is cut short")
        // What libcurl says of a line of more than 100 KiB.
        case .outOfMemory: return fail(.responseTooLarge, "the head of the response is too long")
        case .oversized:
            return fail(.responseTooLarge, "the head of the response, or what else it has beside its body, is too long")
        default: break
        }
        if options.configuration.proxy != nil, case let status = easy.tunnelStatus, status >= 300 {
            // What a server says of itself, or of another that it did not reach, is no rule of the operator's.
            let failure: FailureClass = status == 504 ? .timeout : status >= 500 ? .connectionRefused : .egressBlocked
            return fail(failure, "the proxy answered \(status)")
        }
        return fail(ending.failure, ending.text)
    }

    private var timings: AttemptTimings {
        // Of a connection that is used again libcurl reports a time too, which is none of this attempt.
        let isNew = easy.connections > 0
        return AttemptTimings(
            connected: isNew ? easy.time(to: .connected) : nil,
            secured: isNew ? easy.time(to: .secured) : nil,
            answered: easy.time(to: .answered),
            total: easy.time(to: .ended) ?? 0
        )
    }
}

extension TransferEnding {
    fileprivate var isComplete: Bool { if case .complete = kind { true } else { false } }

    fileprivate var failure: FailureClass {
        switch kind {
        case .unresolved: .dnsError
        case .timedOut, .unconnected(ETIMEDOUT): .timeout
        case .unconnected(ECONNRESET): .connectionReset
        case .unconnected: .connectionRefused
        case .forbidden: .egressBlocked
        case .unsecured, .unreadableAuthorities: .tlsError
        case .complete, .outOfMemory, .oversized, .uninitialised, .interrupted: .connectionReset
        }
    }
}
