internal import CNATS
import EventLog

/// Why libnats could not do what it was asked to.
struct NATSError: Error, CustomStringConvertible {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    /// - Parameter status: what a function of libnats returned, other than NATS_OK.
    init(_ call: String, _ status: natsStatus) {
        let text = unsafe natsStatus_GetText(status)
        let words = unsafe text.map { unsafe String(cString: $0) } ?? "status \(status.rawValue)"
        message = "\(call): \(words)\(status == NATS_SSL_ERROR ? Self.detail : "")"
    }

    /// What libnats noted of the last failure on this thread: of TLS, what was wrong with the certificate. Of others it is not
    /// asked, as it may show addresses with passwords.
    private static var detail: String {
        var status = NATS_OK
        guard let text = unsafe nats_GetLastError(&status), status == NATS_SSL_ERROR else { return "" }
        let detail = unsafe String(cString: text)
        return detail.isEmpty ? "" : " (\(detail))"
    }

    var description: String { message }

    /// - Throws: unless the call went well.
    static func check(_ call: String, _ status: natsStatus) throws(NATSError) {
        if status != NATS_OK { throw NATSError(call, status) }
    }
}

extension EventLogError {
    /// What whoever asks the log is told of it.
    init(_ error: NATSError) {
        self.init(code: .unavailable, message: "The cluster's log cannot be reached.", cause: error)
    }

    static var unanswered: EventLogError {
        EventLogError(
            code: .unavailable,
            message: "The cluster's log did not answer in time. What was to be written may have been, or may be yet."
        )
    }

    static var isBehind: EventLogError {
        EventLogError(code: .unavailable, message: "This node is behind the cluster's log.")
    }

    static var isFull: EventLogError {
        EventLogError(code: .storageFull, message: "The storage of the cluster's servers is full.")
    }
}
