import Glibc
import HTTPTransport
import Posix

/// Telling apart what fails here from what fails there.
extension Transfer {
    /// What was wanting on this machine, as a sentence for the operator; nil if the result is the endpoint's, or its
    /// network's.
    func shortage(_ ending: TransferEnding) -> String? {
        // What has answered was reached.
        guard !isHeadComplete else { return nil }
        if let error = socketError { return "no socket: \(SystemError.reason(error))" }
        switch ending.kind {
        case .outOfMemory:
            // libcurl says so of a line too long, too, but not before there was a request to answer.
            return easy.time(to: .sent) == nil ? ending.text : nil
        case .unconnected(let error):
            return connectShortage(error)
        case .unresolved:
            // What libcurl's resolver says if it has no thread, or no descriptors to hear of its end.
            if ending.text.contains("thread failed to start") { return ending.text }
            // The resolver of the system does not say why it could not ask, but it needs descriptors.
            return SystemLimits.areFilesShort ? "no descriptors to look up a name with" : nil
        case .unreadableAuthorities, .uninitialised:
            return SystemLimits.areFilesShort ? ending.text : nil
        case .complete, .oversized, .forbidden, .unsecured, .timedOut, .interrupted:
            return nil
        }
    }

    /// Whether `socket(2)` failed for a reason that passes. Others, such as a family that this machine does not have, do
    /// not, and are no reason to try again soon.
    static func passes(_ error: Int32) -> Bool { [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(error) }

    /// What `connect(2)` says that is about this machine.
    private func connectShortage(_ error: Int32) -> String? {
        if Self.passes(error) { return SystemError.reason(error) }
        // Also what is said where there is no address of the kind, for good: IPv6 on a machine that has none.
        return error == EADDRNOTAVAIL && canReachLastAddress ? "no local port is free" : nil
    }

    /// Whether this machine has an address of its own to reach the last one from: to connect a datagram socket chooses one,
    /// and sends nothing (ip(7), ip_local_port_range).
    private var canReachLastAddress: Bool {
        unsafe lastAddress.withUnsafeBytes { bytes in
            guard let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
            let handle = unsafe socket(Int32(address.pointee.sa_family), type, 0)
            guard handle >= 0 else { return false }
            defer { close(handle) }
            return unsafe connect(handle, address, socklen_t(bytes.count)) == 0
        }
    }
}
